"""A state that is lost, brought back as docs/operating.md says: everything is imported, nothing submitted again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.engine.clone import Clone
from tests.engine.crashes import assert_settled, job, up


def test_everything_is_imported_and_the_job_goes_on(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.sandbox("start")
    try:
        clone.declare({"bert": job()})
        up(clone)
        [running] = clone.live()
        ids = {resource["urn"]: resource["id"] for resource in clone.deployment()["resources"] if resource.get("id")}
        by_name = {urn.rpartition("::")[2]: its_id for urn, its_id in ids.items()}
        config = ("-s", "sandbox", "--config-file", str(clone.state / "project" / "Pulumi.sandbox.yaml"))
        forget = clone.finished(
            clone.exported("pulumi", "stack", "rm", "sandbox", "--force", "--yes", "--preserve-config")
        )
        assert forget.returncode == 0, forget.stdout
        clone.declare({"bert": job()})

        preview = clone.finished(
            clone.exported("pulumi", "preview", *config, "--import-file", "import.json", "--non-interactive")
        )
        assert preview.returncode == 0, preview.stdout
        wanted = json.loads((clone.root / "import.json").read_text())
        for resource in wanted["resources"]:
            if resource.get("id"):
                resource["id"] = by_name[resource.get("logicalName", resource["name"])]
        (clone.root / "import.json").write_text(json.dumps(wanted))
        words = ("--file", "import.json", "--protect=false", "--generate-code=false", "--yes", "--skip-preview")
        imported = clone.finished(clone.exported("pulumi", "import", *config, *words, "--non-interactive"))
        assert imported.returncode == 0, imported.stdout

        assert_settled(clone, clone.make("up"))
        assert clone.known() == [running]
        assert len(clone.jobs()) == 1
    finally:
        clone.sandbox("stop")
