"""The configuration keys of the gcp provider (pulumi_gcp.config, 10.2.0): a stack may set them beside ours."""

from __future__ import annotations

from typing import Final

NAMES: Final = frozenset(
    {
        *("accessToken", "addPulumiAttributionLabel", "batching", "billingProject", "credentials", "defaultLabels"),
        *("deletionPolicy", "disableGlobalProjectWarning", "disableGooglePartnerName", "externalCredentials"),
        *("googlePartnerName", "impersonateServiceAccount", "impersonateServiceAccountDelegates", "pollInterval"),
        *("preferGlobalEndpoints", "preferRegionalEndpoints", "project", "pulumiAttributionLabelAdditionStrategy"),
        *("region", "requestReason", "requestTimeout", "scopes", "skipRegionValidation", "universeDomain"),
        *("userProjectOverride", "zone"),
    }
)
# Each service's own address has a key: about two hundred.
ENDPOINT: Final = "CustomEndpoint"
KEYS: Final = tuple(sorted(f"gcp:{name}" for name in NAMES))


def is_provider_key(key: str) -> bool:
    """Returns whether a key of a stack file is one that the gcp provider reads."""
    namespace, _, name = key.partition(":")
    return namespace == "gcp" and (name in NAMES or (name.endswith(ENDPOINT) and name.isalnum()))
