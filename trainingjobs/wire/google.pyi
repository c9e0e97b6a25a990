"""Google's resources and their parts, by their wire names.

Made by `python -m dev.wire_types`. Do not edit.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from pulumi import Input

class ArtifactregistryRepository(TypedDict, total=False):
    cleanupPolicies: Input[Sequence[ArtifactregistryRepositoryCleanupPolicy]]
    cleanupPolicyDryRun: Input[bool]
    deletionPolicy: Input[str]
    description: Input[str]
    dockerConfig: ArtifactregistryRepositoryDockerConfig
    format: Input[str]
    kmsKeyName: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    location: Input[str]
    mavenConfig: ArtifactregistryRepositoryMavenConfig
    mode: Input[str]
    project: Input[str]
    remoteRepositoryConfig: ArtifactregistryRepositoryRemoteRepositoryConfig
    repositoryId: Input[str]
    virtualRepositoryConfig: ArtifactregistryRepositoryVirtualRepositoryConfig
    vulnerabilityScanningConfig: ArtifactregistryRepositoryVulnerabilityScanningConfig

class ArtifactregistryRepositoryCleanupPolicy(TypedDict, total=False):
    action: Input[str]
    condition: ArtifactregistryRepositoryCleanupPolicyCondition
    id: Input[str]
    mostRecentVersions: ArtifactregistryRepositoryCleanupPolicyMostRecentVersions

class ArtifactregistryRepositoryCleanupPolicyCondition(TypedDict, total=False):
    newerThan: Input[str]
    olderThan: Input[str]
    packageNamePrefixes: Input[Sequence[Input[str]]]
    tagPrefixes: Input[Sequence[Input[str]]]
    tagState: Input[str]
    versionNamePrefixes: Input[Sequence[Input[str]]]

class ArtifactregistryRepositoryCleanupPolicyMostRecentVersions(TypedDict, total=False):
    keepCount: Input[float]
    packageNamePrefixes: Input[Sequence[Input[str]]]

class ArtifactregistryRepositoryDockerConfig(TypedDict, total=False):
    immutableTags: Input[bool]

class ArtifactregistryRepositoryIamMember(TypedDict, total=False):
    condition: ProjectsIAMMemberCondition
    location: Input[str]
    member: Input[str]
    project: Input[str]
    repository: Input[str]
    role: Input[str]

class ArtifactregistryRepositoryMavenConfig(TypedDict, total=False):
    allowSnapshotOverwrites: Input[bool]
    versionPolicy: Input[str]

class ArtifactregistryRepositoryRemoteRepositoryConfig(TypedDict, total=False):
    aptRepository: ArtifactregistryRepositoryRemoteRepositoryConfigAptRepository
    commonRepository: ArtifactregistryRepositoryRemoteRepositoryConfigCommonRepository
    description: Input[str]
    disableUpstreamValidation: Input[bool]
    dockerRepository: ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepository
    mavenRepository: ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepository
    noCache: ArtifactregistryRepositoryRemoteRepositoryConfigNoCache
    npmRepository: ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepository
    pythonRepository: ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepository
    upstreamCredentials: ArtifactregistryRepositoryRemoteRepositoryConfigUpstreamCredentials
    yumRepository: ArtifactregistryRepositoryRemoteRepositoryConfigAptRepository

class ArtifactregistryRepositoryRemoteRepositoryConfigAptRepository(TypedDict, total=False):
    publicRepository: ArtifactregistryRepositoryRemoteRepositoryConfigAptRepositoryPublicRepository

class ArtifactregistryRepositoryRemoteRepositoryConfigAptRepositoryPublicRepository(TypedDict, total=False):
    repositoryBase: Input[str]
    repositoryPath: Input[str]

class ArtifactregistryRepositoryRemoteRepositoryConfigCommonRepository(TypedDict, total=False):
    uri: Input[str]

class ArtifactregistryRepositoryRemoteRepositoryConfigNoCache(TypedDict, total=False):
    pass

class ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepository(TypedDict, total=False):
    customRepository: ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepositoryCustomRepository
    publicRepository: Input[str]

class ArtifactregistryRepositoryRemoteRepositoryConfigNpmRepositoryCustomRepository(TypedDict, total=False):
    uri: Input[str]

class ArtifactregistryRepositoryRemoteRepositoryConfigUpstreamCredentials(TypedDict, total=False):
    usernamePasswordCredentials: ArtifactregistryRepositoryRemoteRepositoryConfigUpstreamCredentialsUsernamePasswordCredentials

class ArtifactregistryRepositoryRemoteRepositoryConfigUpstreamCredentialsUsernamePasswordCredentials(TypedDict, total=False):
    passwordSecretVersion: Input[str]
    username: Input[str]

class ArtifactregistryRepositoryVirtualRepositoryConfig(TypedDict, total=False):
    upstreamPolicies: Input[Sequence[ArtifactregistryRepositoryVirtualRepositoryConfigUpstreamPolicy]]

class ArtifactregistryRepositoryVirtualRepositoryConfigUpstreamPolicy(TypedDict, total=False):
    id: Input[str]
    priority: Input[float]
    repository: Input[str]

class ArtifactregistryRepositoryVulnerabilityScanningConfig(TypedDict, total=False):
    enablementConfig: Input[str]
    enablementState: Input[str]
    enablementStateReason: Input[str]

class ComputeAddress(TypedDict, total=False):
    address: Input[str]
    addressType: Input[str]
    deletionPolicy: Input[str]
    description: Input[str]
    ipCollection: Input[str]
    ipVersion: Input[str]
    ipv6EndpointType: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    name: Input[str]
    network: Input[str]
    networkTier: Input[str]
    prefixLength: Input[float]
    project: Input[str]
    purpose: Input[str]
    region: Input[str]
    subnetwork: Input[str]

class ComputeFirewall(TypedDict, total=False):
    allows: Input[Sequence[ComputeFirewallDeny]]
    deletionPolicy: Input[str]
    denies: Input[Sequence[ComputeFirewallDeny]]
    description: Input[str]
    destinationRanges: Input[Sequence[Input[str]]]
    direction: Input[str]
    disabled: Input[bool]
    enableLogging: Input[bool]
    logConfig: ComputeFirewallLogConfig
    name: Input[str]
    network: Input[str]
    params: ComputeRouterParams
    priority: Input[float]
    project: Input[str]
    sourceRanges: Input[Sequence[Input[str]]]
    sourceServiceAccounts: Input[Sequence[Input[str]]]
    sourceTags: Input[Sequence[Input[str]]]
    targetServiceAccounts: Input[Sequence[Input[str]]]
    targetTags: Input[Sequence[Input[str]]]

class ComputeFirewallDeny(TypedDict, total=False):
    ports: Input[Sequence[Input[str]]]
    protocol: Input[str]

class ComputeFirewallLogConfig(TypedDict, total=False):
    metadata: Input[str]

class ComputeGlobalAddress(TypedDict, total=False):
    address: Input[str]
    addressType: Input[str]
    deletionPolicy: Input[str]
    description: Input[str]
    ipVersion: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    name: Input[str]
    network: Input[str]
    prefixLength: Input[float]
    project: Input[str]
    purpose: Input[str]

class ComputeHealthCheck(TypedDict, total=False):
    checkIntervalSec: Input[float]
    deletionPolicy: Input[str]
    description: Input[str]
    grpcHealthCheck: ComputeHealthCheckGrpcHealthCheck
    grpcTlsHealthCheck: ComputeHealthCheckGrpcTlsHealthCheck
    healthyThreshold: Input[float]
    http2HealthCheck: ComputeHealthCheckHttpHealthCheck
    httpHealthCheck: ComputeHealthCheckHttpHealthCheck
    httpsHealthCheck: ComputeHealthCheckHttpHealthCheck
    logConfig: ComputeHealthCheckLogConfig
    name: Input[str]
    project: Input[str]
    sourceRegions: Input[Sequence[Input[str]]]
    sslHealthCheck: ComputeHealthCheckSslHealthCheck
    tcpHealthCheck: ComputeHealthCheckSslHealthCheck
    timeoutSec: Input[float]
    unhealthyThreshold: Input[float]

class ComputeHealthCheckGrpcHealthCheck(TypedDict, total=False):
    grpcServiceName: Input[str]
    port: Input[float]
    portName: Input[str]
    portSpecification: Input[str]

class ComputeHealthCheckGrpcTlsHealthCheck(TypedDict, total=False):
    grpcServiceName: Input[str]
    port: Input[float]
    portSpecification: Input[str]

class ComputeHealthCheckHttpHealthCheck(TypedDict, total=False):
    host: Input[str]
    port: Input[float]
    portName: Input[str]
    portSpecification: Input[str]
    proxyHeader: Input[str]
    requestPath: Input[str]
    response: Input[str]

class ComputeHealthCheckLogConfig(TypedDict, total=False):
    enable: Input[bool]

class ComputeHealthCheckSslHealthCheck(TypedDict, total=False):
    port: Input[float]
    portName: Input[str]
    portSpecification: Input[str]
    proxyHeader: Input[str]
    request: Input[str]
    response: Input[str]

class ComputeInstanceFromTemplate(TypedDict, total=False):
    advancedMachineFeatures: ComputeInstanceTemplateAdvancedMachineFeatures
    allowStoppingForUpdate: Input[bool]
    attachedDisks: Input[Sequence[ComputeInstanceFromTemplateAttachedDisk]]
    bootDisk: ComputeInstanceFromTemplateBootDisk
    canIpForward: Input[bool]
    confidentialInstanceConfig: ComputeInstanceTemplateConfidentialInstanceConfig
    deletionPolicy: Input[str]
    deletionProtection: Input[bool]
    description: Input[str]
    desiredStatus: Input[str]
    enableDisplay: Input[bool]
    eraseWindowsVssSignature: Input[bool]
    guestAccelerators: Input[Sequence[ComputeInstanceTemplateGuestAccelerator]]
    hostname: Input[str]
    instanceEncryptionKey: ComputeInstanceFromTemplateInstanceEncryptionKey
    keyRevocationActionType: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    machineType: Input[str]
    metadata: Input[Mapping[str, Input[str]]]
    metadataStartupScript: Input[str]
    minCpuPlatform: Input[str]
    name: Input[str]
    networkInterfaces: Input[Sequence[ComputeInstanceFromTemplateNetworkInterface]]
    networkPerformanceConfig: ContainerClusterNetworkPerformanceConfig
    params: ComputeRouterParams
    partnerMetadata: Input[Mapping[str, Input[str]]]
    project: Input[str]
    reservationAffinity: ComputeInstanceTemplateReservationAffinity
    resourcePolicies: Input[str]
    scheduling: ComputeInstanceFromTemplateScheduling
    scratchDisks: Input[Sequence[ComputeInstanceFromTemplateScratchDisk]]
    serviceAccount: ComputeInstanceTemplateServiceAccount
    shieldedInstanceConfig: ComputeInstanceTemplateShieldedInstanceConfig
    sourceInstanceTemplate: Input[str]
    tags: Input[Sequence[Input[str]]]
    workloadIdentityConfig: ComputeInstanceTemplateWorkloadIdentityConfig
    zone: Input[str]

class ComputeInstanceFromTemplateAttachedDisk(TypedDict, total=False):
    deviceName: Input[str]
    diskEncryptionKeyRaw: Input[str]
    diskEncryptionKeyRsa: Input[str]
    diskEncryptionKeySha256: Input[str]
    diskEncryptionServiceAccount: Input[str]
    forceAttach: Input[bool]
    kmsKeySelfLink: Input[str]
    mode: Input[str]
    source: Input[str]

class ComputeInstanceFromTemplateBootDisk(TypedDict, total=False):
    autoDelete: Input[bool]
    deviceName: Input[str]
    diskEncryptionKeyRaw: Input[str]
    diskEncryptionKeyRsa: Input[str]
    diskEncryptionKeySha256: Input[str]
    diskEncryptionServiceAccount: Input[str]
    forceAttach: Input[bool]
    guestOsFeatures: Input[Sequence[Input[str]]]
    initializeParams: ComputeInstanceFromTemplateBootDiskInitializeParams
    interface: Input[str]
    kmsKeySelfLink: Input[str]
    mode: Input[str]
    source: Input[str]

class ComputeInstanceFromTemplateBootDiskInitializeParams(TypedDict, total=False):
    architecture: Input[str]
    enableConfidentialCompute: Input[bool]
    image: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    provisionedIops: Input[float]
    provisionedThroughput: Input[float]
    replicaZones: Input[Sequence[Input[str]]]
    resourceManagerTags: Input[Mapping[str, Input[str]]]
    resourcePolicies: Input[str]
    size: Input[float]
    snapshot: Input[str]
    sourceImageEncryptionKey: ComputeInstanceFromTemplateBootDiskInitializeParamsSourceImageEncryptionKey
    sourceSnapshotEncryptionKey: ComputeInstanceFromTemplateBootDiskInitializeParamsSourceImageEncryptionKey
    storagePool: Input[str]
    type: Input[str]

class ComputeInstanceFromTemplateBootDiskInitializeParamsSourceImageEncryptionKey(TypedDict, total=False):
    kmsKeySelfLink: Input[str]
    kmsKeyServiceAccount: Input[str]
    rawKey: Input[str]
    rsaEncryptedKey: Input[str]
    sha256: Input[str]

class ComputeInstanceFromTemplateInstanceEncryptionKey(TypedDict, total=False):
    kmsKeySelfLink: Input[str]
    kmsKeyServiceAccount: Input[str]
    sha256: Input[str]

class ComputeInstanceFromTemplateNetworkInterface(TypedDict, total=False):
    accessConfigs: Input[Sequence[ComputeInstanceFromTemplateNetworkInterfaceAccessConfig]]
    aliasIpRanges: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceAliasIpRange]]
    aliasIpv6Ranges: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceAliasIpRange]]
    enableVpcScopedDns: Input[bool]
    igmpQuery: Input[str]
    internalIpv6PrefixLength: Input[float]
    ipv6AccessConfigs: Input[Sequence[ComputeInstanceFromTemplateNetworkInterfaceIpv6AccessConfig]]
    ipv6AccessType: Input[str]
    ipv6Address: Input[str]
    macAddress: Input[str]
    name: Input[str]
    network: Input[str]
    networkAttachment: Input[str]
    networkIp: Input[str]
    nicType: Input[str]
    parentNicName: Input[str]
    queueCount: Input[float]
    securityPolicy: Input[str]
    serviceClassId: Input[str]
    stackType: Input[str]
    subnetwork: Input[str]
    subnetworkProject: Input[str]
    vlan: Input[float]

class ComputeInstanceFromTemplateNetworkInterfaceAccessConfig(TypedDict, total=False):
    natIp: Input[str]
    networkTier: Input[str]
    publicPtrDomainName: Input[str]
    securityPolicy: Input[str]

class ComputeInstanceFromTemplateNetworkInterfaceIpv6AccessConfig(TypedDict, total=False):
    externalIpv6: Input[str]
    externalIpv6PrefixLength: Input[str]
    name: Input[str]
    networkTier: Input[str]
    publicPtrDomainName: Input[str]
    securityPolicy: Input[str]

class ComputeInstanceFromTemplateScheduling(TypedDict, total=False):
    automaticRestart: Input[bool]
    availabilityDomain: Input[float]
    gracefulShutdown: ComputeInstanceTemplateSchedulingGracefulShutdown
    hostErrorTimeoutSeconds: Input[float]
    instanceTerminationAction: Input[str]
    localSsdRecoveryTimeout: ComputeInstanceTemplateSchedulingMaxRunDuration
    maintenanceInterval: Input[str]
    maxRunDuration: ComputeInstanceTemplateSchedulingMaxRunDuration
    minNodeCpus: Input[float]
    nodeAffinities: Input[Sequence[ComputeInstanceTemplateSchedulingNodeAffinity]]
    onHostMaintenance: Input[str]
    onInstanceStopAction: ComputeInstanceTemplateSchedulingOnInstanceStopAction
    preemptible: Input[bool]
    preemptionNoticeDuration: ComputeInstanceTemplateSchedulingMaxRunDuration
    provisioningModel: Input[str]
    skipGuestOsShutdown: Input[bool]
    terminationTime: Input[str]

class ComputeInstanceFromTemplateScratchDisk(TypedDict, total=False):
    deviceName: Input[str]
    interface: Input[str]
    size: Input[float]

class ComputeInstanceGroupManager(TypedDict, total=False):
    allInstancesConfig: ComputeInstanceGroupManagerAllInstancesConfig
    autoHealingPolicies: ComputeInstanceGroupManagerAutoHealingPolicies
    baseInstanceName: Input[str]
    deletionPolicy: Input[str]
    description: Input[str]
    instanceLifecyclePolicy: ComputeInstanceGroupManagerInstanceLifecyclePolicy
    listManagedInstancesResults: Input[str]
    name: Input[str]
    namedPorts: Input[Sequence[ComputeInstanceGroupManagerNamedPort]]
    params: ComputeRouterParams
    project: Input[str]
    resourcePolicies: ComputeInstanceGroupManagerResourcePolicies
    standbyPolicy: ComputeInstanceGroupManagerStandbyPolicy
    statefulDisks: Input[Sequence[ComputeInstanceGroupManagerStatefulDisk]]
    statefulExternalIps: Input[Sequence[ComputeInstanceGroupManagerStatefulExternalIp]]
    statefulInternalIps: Input[Sequence[ComputeInstanceGroupManagerStatefulExternalIp]]
    targetPools: Input[Sequence[Input[str]]]
    targetSize: Input[float]
    targetSizePolicies: Input[Sequence[ComputeInstanceGroupManagerTargetSizePolicy]]
    targetStoppedSize: Input[float]
    targetSuspendedSize: Input[float]
    updatePolicy: ComputeInstanceGroupManagerUpdatePolicy
    versions: Input[Sequence[ComputeInstanceGroupManagerVersion]]
    waitForInstances: Input[bool]
    waitForInstancesStatus: Input[str]
    zone: Input[str]

class ComputeInstanceGroupManagerAllInstancesConfig(TypedDict, total=False):
    labels: Input[Mapping[str, Input[str]]]
    metadata: Input[Mapping[str, Input[str]]]

class ComputeInstanceGroupManagerAutoHealingPolicies(TypedDict, total=False):
    healthCheck: Input[str]
    initialDelaySec: Input[float]

class ComputeInstanceGroupManagerInstanceLifecyclePolicy(TypedDict, total=False):
    defaultActionOnFailure: Input[str]
    forceUpdateOnRepair: Input[str]
    onFailedHealthCheck: Input[str]
    onRepair: ComputeInstanceGroupManagerInstanceLifecyclePolicyOnRepair

class ComputeInstanceGroupManagerInstanceLifecyclePolicyOnRepair(TypedDict, total=False):
    allowChangingZone: Input[str]

class ComputeInstanceGroupManagerNamedPort(TypedDict, total=False):
    name: Input[str]
    port: Input[float]

class ComputeInstanceGroupManagerResourcePolicies(TypedDict, total=False):
    workloadPolicy: Input[str]

class ComputeInstanceGroupManagerStandbyPolicy(TypedDict, total=False):
    initialDelaySec: Input[float]
    mode: Input[str]

class ComputeInstanceGroupManagerStatefulDisk(TypedDict, total=False):
    deleteRule: Input[str]
    deviceName: Input[str]

class ComputeInstanceGroupManagerStatefulExternalIp(TypedDict, total=False):
    deleteRule: Input[str]
    interfaceName: Input[str]

class ComputeInstanceGroupManagerTargetSizePolicy(TypedDict, total=False):
    mode: Input[str]

class ComputeInstanceGroupManagerUpdatePolicy(TypedDict, total=False):
    maxSurgeFixed: Input[float]
    maxSurgePercent: Input[float]
    maxUnavailableFixed: Input[float]
    maxUnavailablePercent: Input[float]
    minReadySec: Input[float]
    minimalAction: Input[str]
    mostDisruptiveAllowedAction: Input[str]
    replacementMethod: Input[str]
    type: Input[str]

class ComputeInstanceGroupManagerVersion(TypedDict, total=False):
    instanceTemplate: Input[str]
    name: Input[str]
    targetSize: ComputeInstanceGroupManagerVersionTargetSize

class ComputeInstanceGroupManagerVersionTargetSize(TypedDict, total=False):
    fixed: Input[float]
    percent: Input[float]

class ComputeInstanceTemplate(TypedDict, total=False):
    advancedMachineFeatures: ComputeInstanceTemplateAdvancedMachineFeatures
    canIpForward: Input[bool]
    confidentialInstanceConfig: ComputeInstanceTemplateConfidentialInstanceConfig
    description: Input[str]
    disks: Input[Sequence[ComputeInstanceTemplateDisk]]
    enableDisplay: Input[bool]
    guestAccelerators: Input[Sequence[ComputeInstanceTemplateGuestAccelerator]]
    instanceDescription: Input[str]
    keyRevocationActionType: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    machineType: Input[str]
    metadata: Input[Mapping[str, Input[str]]]
    metadataStartupScript: Input[str]
    minCpuPlatform: Input[str]
    name: Input[str]
    namePrefix: Input[str]
    networkInterfaces: Input[Sequence[ComputeInstanceTemplateNetworkInterface]]
    networkPerformanceConfig: ContainerClusterNetworkPerformanceConfig
    partnerMetadata: Input[Mapping[str, Input[str]]]
    project: Input[str]
    region: Input[str]
    reservationAffinity: ComputeInstanceTemplateReservationAffinity
    resourceManagerTags: Input[Mapping[str, Input[str]]]
    resourcePolicies: Input[str]
    scheduling: ComputeInstanceTemplateScheduling
    serviceAccount: ComputeInstanceTemplateServiceAccount
    shieldedInstanceConfig: ComputeInstanceTemplateShieldedInstanceConfig
    tags: Input[Sequence[Input[str]]]
    workloadIdentityConfig: ComputeInstanceTemplateWorkloadIdentityConfig

class ComputeInstanceTemplateAdvancedMachineFeatures(TypedDict, total=False):
    enableNestedVirtualization: Input[bool]
    enableUefiNetworking: Input[bool]
    performanceMonitoringUnit: Input[str]
    threadsPerCore: Input[float]
    turboMode: Input[str]
    visibleCoreCount: Input[float]

class ComputeInstanceTemplateConfidentialInstanceConfig(TypedDict, total=False):
    confidentialInstanceType: Input[str]
    enableConfidentialCompute: Input[bool]

class ComputeInstanceTemplateDisk(TypedDict, total=False):
    architecture: Input[str]
    autoDelete: Input[bool]
    boot: Input[bool]
    deviceName: Input[str]
    diskEncryptionKey: ComputeInstanceTemplateDiskDiskEncryptionKey
    diskName: Input[str]
    diskSizeGb: Input[float]
    diskType: Input[str]
    guestOsFeatures: Input[Sequence[Input[str]]]
    interface: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    mode: Input[str]
    provisionedIops: Input[float]
    provisionedThroughput: Input[float]
    resourceManagerTags: Input[Mapping[str, Input[str]]]
    resourcePolicies: Input[str]
    source: Input[str]
    sourceImage: Input[str]
    sourceImageEncryptionKey: ComputeInstanceTemplateDiskSourceImageEncryptionKey
    sourceSnapshot: Input[str]
    sourceSnapshotEncryptionKey: ComputeInstanceTemplateDiskSourceImageEncryptionKey
    storagePool: Input[str]
    type: Input[str]

class ComputeInstanceTemplateDiskDiskEncryptionKey(TypedDict, total=False):
    kmsKeySelfLink: Input[str]
    kmsKeyServiceAccount: Input[str]

class ComputeInstanceTemplateDiskSourceImageEncryptionKey(TypedDict, total=False):
    kmsKeySelfLink: Input[str]
    kmsKeyServiceAccount: Input[str]
    rawKey: Input[str]
    rsaEncryptedKey: Input[str]

class ComputeInstanceTemplateGuestAccelerator(TypedDict, total=False):
    count: Input[float]
    type: Input[str]

class ComputeInstanceTemplateNetworkInterface(TypedDict, total=False):
    accessConfigs: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceAccessConfig]]
    aliasIpRanges: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceAliasIpRange]]
    aliasIpv6Ranges: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceAliasIpRange]]
    enableVpcScopedDns: Input[bool]
    igmpQuery: Input[str]
    internalIpv6PrefixLength: Input[float]
    ipv6AccessConfigs: Input[Sequence[ComputeInstanceTemplateNetworkInterfaceIpv6AccessConfig]]
    ipv6AccessType: Input[str]
    ipv6Address: Input[str]
    name: Input[str]
    network: Input[str]
    networkAttachment: Input[str]
    networkIp: Input[str]
    nicType: Input[str]
    parentNicName: Input[str]
    queueCount: Input[float]
    serviceClassId: Input[str]
    stackType: Input[str]
    subnetwork: Input[str]
    subnetworkProject: Input[str]
    vlan: Input[float]

class ComputeInstanceTemplateNetworkInterfaceAccessConfig(TypedDict, total=False):
    natIp: Input[str]
    networkTier: Input[str]
    publicPtrDomainName: Input[str]

class ComputeInstanceTemplateNetworkInterfaceAliasIpRange(TypedDict, total=False):
    ipCidrRange: Input[str]
    subnetworkRangeName: Input[str]

class ComputeInstanceTemplateNetworkInterfaceIpv6AccessConfig(TypedDict, total=False):
    externalIpv6: Input[str]
    externalIpv6PrefixLength: Input[str]
    name: Input[str]
    networkTier: Input[str]
    publicPtrDomainName: Input[str]

class ComputeInstanceTemplateReservationAffinity(TypedDict, total=False):
    specificReservation: ComputeInstanceTemplateReservationAffinitySpecificReservation
    type: Input[str]

class ComputeInstanceTemplateReservationAffinitySpecificReservation(TypedDict, total=False):
    key: Input[str]
    values: Input[Sequence[Input[str]]]

class ComputeInstanceTemplateScheduling(TypedDict, total=False):
    automaticRestart: Input[bool]
    availabilityDomain: Input[float]
    gracefulShutdown: ComputeInstanceTemplateSchedulingGracefulShutdown
    hostErrorTimeoutSeconds: Input[float]
    instanceTerminationAction: Input[str]
    localSsdRecoveryTimeouts: Input[Sequence[ComputeInstanceTemplateSchedulingMaxRunDuration]]
    maintenanceInterval: Input[str]
    maxRunDuration: ComputeInstanceTemplateSchedulingMaxRunDuration
    minNodeCpus: Input[float]
    nodeAffinities: Input[Sequence[ComputeInstanceTemplateSchedulingNodeAffinity]]
    onHostMaintenance: Input[str]
    onInstanceStopAction: ComputeInstanceTemplateSchedulingOnInstanceStopAction
    preemptible: Input[bool]
    preemptionNoticeDuration: ComputeInstanceTemplateSchedulingMaxRunDuration
    provisioningModel: Input[str]
    skipGuestOsShutdown: Input[bool]
    terminationTime: Input[str]

class ComputeInstanceTemplateSchedulingGracefulShutdown(TypedDict, total=False):
    enabled: Input[bool]
    maxDuration: ComputeInstanceTemplateSchedulingMaxRunDuration

class ComputeInstanceTemplateSchedulingMaxRunDuration(TypedDict, total=False):
    nanos: Input[float]
    seconds: Input[float]

class ComputeInstanceTemplateSchedulingNodeAffinity(TypedDict, total=False):
    key: Input[str]
    operator: Input[str]
    values: Input[Sequence[Input[str]]]

class ComputeInstanceTemplateSchedulingOnInstanceStopAction(TypedDict, total=False):
    discardLocalSsd: Input[bool]

class ComputeInstanceTemplateServiceAccount(TypedDict, total=False):
    email: Input[str]
    scopes: Input[Sequence[Input[str]]]

class ComputeInstanceTemplateShieldedInstanceConfig(TypedDict, total=False):
    enableIntegrityMonitoring: Input[bool]
    enableSecureBoot: Input[bool]
    enableVtpm: Input[bool]

class ComputeInstanceTemplateWorkloadIdentityConfig(TypedDict, total=False):
    identity: Input[str]
    identityCertificateEnabled: Input[bool]

class ComputeNetwork(TypedDict, total=False):
    autoCreateSubnetworks: Input[bool]
    bgpAlwaysCompareMed: Input[bool]
    bgpBestPathSelectionMode: Input[str]
    bgpInterRegionCost: Input[str]
    deleteBgpAlwaysCompareMed: Input[bool]
    deleteDefaultRoutesOnCreate: Input[bool]
    deletionPolicy: Input[str]
    description: Input[str]
    enableUlaInternalIpv6: Input[bool]
    internalIpv6Range: Input[str]
    mtu: Input[float]
    name: Input[str]
    networkFirewallPolicyEnforcementOrder: Input[str]
    networkProfile: Input[str]
    params: ComputeRouterParams
    project: Input[str]
    routingMode: Input[str]

class ComputeNetworkAttachment(TypedDict, total=False):
    connectionPreference: Input[str]
    deletionPolicy: Input[str]
    description: Input[str]
    name: Input[str]
    producerAcceptLists: Input[Sequence[Input[str]]]
    producerRejectLists: Input[Sequence[Input[str]]]
    project: Input[str]
    region: Input[str]
    subnetworks: Input[Sequence[Input[str]]]

class ComputePerInstanceConfig(TypedDict, total=False):
    deletionPolicy: Input[str]
    instanceGroupManager: Input[str]
    minimalAction: Input[str]
    mostDisruptiveAllowedAction: Input[str]
    name: Input[str]
    preservedState: ComputePerInstanceConfigPreservedState
    project: Input[str]
    removeInstanceOnDestroy: Input[bool]
    removeInstanceStateOnDestroy: Input[bool]
    zone: Input[str]

class ComputePerInstanceConfigPreservedState(TypedDict, total=False):
    disks: Input[Sequence[ComputePerInstanceConfigPreservedStateDisk]]
    externalIps: Input[Sequence[ComputePerInstanceConfigPreservedStateExternalIp]]
    internalIps: Input[Sequence[ComputePerInstanceConfigPreservedStateExternalIp]]
    metadata: Input[Mapping[str, Input[str]]]

class ComputePerInstanceConfigPreservedStateDisk(TypedDict, total=False):
    deleteRule: Input[str]
    deviceName: Input[str]
    mode: Input[str]
    source: Input[str]

class ComputePerInstanceConfigPreservedStateExternalIp(TypedDict, total=False):
    autoDelete: Input[str]
    interfaceName: Input[str]
    ipAddress: ComputePerInstanceConfigPreservedStateExternalIpIpAddress

class ComputePerInstanceConfigPreservedStateExternalIpIpAddress(TypedDict, total=False):
    address: Input[str]

class ComputeResourcePolicy(TypedDict, total=False):
    deletionPolicy: Input[str]
    description: Input[str]
    diskConsistencyGroupPolicy: StorageBucketVersioning
    groupPlacementPolicy: ComputeResourcePolicyGroupPlacementPolicy
    instanceSchedulePolicy: ComputeResourcePolicyInstanceSchedulePolicy
    name: Input[str]
    project: Input[str]
    region: Input[str]
    snapshotSchedulePolicy: ComputeResourcePolicySnapshotSchedulePolicy
    workloadPolicy: ComputeResourcePolicyWorkloadPolicy

class ComputeResourcePolicyGroupPlacementPolicy(TypedDict, total=False):
    availabilityDomainCount: Input[float]
    collocation: Input[str]
    gpuTopology: Input[str]
    maxDistance: Input[float]
    tpuTopology: Input[str]
    vmCount: Input[float]

class ComputeResourcePolicyInstanceSchedulePolicy(TypedDict, total=False):
    expirationTime: Input[str]
    startTime: Input[str]
    timeZone: Input[str]
    vmStartSchedule: ComputeResourcePolicyInstanceSchedulePolicyVmStopSchedule
    vmStopSchedule: ComputeResourcePolicyInstanceSchedulePolicyVmStopSchedule

class ComputeResourcePolicyInstanceSchedulePolicyVmStopSchedule(TypedDict, total=False):
    schedule: Input[str]

class ComputeResourcePolicySnapshotSchedulePolicy(TypedDict, total=False):
    retentionPolicy: ComputeResourcePolicySnapshotSchedulePolicyRetentionPolicy
    schedule: ComputeResourcePolicySnapshotSchedulePolicySchedule
    snapshotProperties: ComputeResourcePolicySnapshotSchedulePolicySnapshotProperties

class ComputeResourcePolicySnapshotSchedulePolicyRetentionPolicy(TypedDict, total=False):
    maxRetentionDays: Input[float]
    onSourceDiskDelete: Input[str]

class ComputeResourcePolicySnapshotSchedulePolicySchedule(TypedDict, total=False):
    dailySchedule: ComputeResourcePolicySnapshotSchedulePolicyScheduleDailySchedule
    hourlySchedule: ComputeResourcePolicySnapshotSchedulePolicyScheduleHourlySchedule
    weeklySchedule: ComputeResourcePolicySnapshotSchedulePolicyScheduleWeeklySchedule

class ComputeResourcePolicySnapshotSchedulePolicyScheduleDailySchedule(TypedDict, total=False):
    daysInCycle: Input[float]
    startTime: Input[str]

class ComputeResourcePolicySnapshotSchedulePolicyScheduleHourlySchedule(TypedDict, total=False):
    hoursInCycle: Input[float]
    startTime: Input[str]

class ComputeResourcePolicySnapshotSchedulePolicyScheduleWeeklySchedule(TypedDict, total=False):
    dayOfWeeks: Input[Sequence[ComputeResourcePolicySnapshotSchedulePolicyScheduleWeeklyScheduleDayOfWeek]]

class ComputeResourcePolicySnapshotSchedulePolicyScheduleWeeklyScheduleDayOfWeek(TypedDict, total=False):
    day: Input[str]
    startTime: Input[str]

class ComputeResourcePolicySnapshotSchedulePolicySnapshotProperties(TypedDict, total=False):
    chainName: Input[str]
    guestFlush: Input[bool]
    labels: Input[Mapping[str, Input[str]]]
    storageLocations: Input[str]

class ComputeResourcePolicyWorkloadPolicy(TypedDict, total=False):
    acceleratorTopology: Input[str]
    acceleratorTopologyMode: Input[str]
    maxTopologyDistance: Input[str]
    type: Input[str]

class ComputeRouter(TypedDict, total=False):
    bgp: ComputeRouterBgp
    deletionPolicy: Input[str]
    description: Input[str]
    encryptedInterconnectRouter: Input[bool]
    md5AuthenticationKeys: ComputeRouterMd5AuthenticationKeys
    name: Input[str]
    nccGateway: Input[str]
    network: Input[str]
    params: ComputeRouterParams
    project: Input[str]
    region: Input[str]

class ComputeRouterBgp(TypedDict, total=False):
    advertiseMode: Input[str]
    advertisedGroups: Input[Sequence[Input[str]]]
    advertisedIpRanges: Input[Sequence[ComputeRouterBgpAdvertisedIpRange]]
    asn: Input[float]
    identifierRange: Input[str]
    keepaliveInterval: Input[float]

class ComputeRouterBgpAdvertisedIpRange(TypedDict, total=False):
    description: Input[str]
    range: Input[str]

class ComputeRouterMd5AuthenticationKeys(TypedDict, total=False):
    key: Input[str]
    name: Input[str]

class ComputeRouterNat(TypedDict, total=False):
    autoNetworkTier: Input[str]
    deletionPolicy: Input[str]
    drainNatIps: Input[Sequence[Input[str]]]
    enableDynamicPortAllocation: Input[bool]
    enableEndpointIndependentMapping: Input[bool]
    endpointTypes: Input[Sequence[Input[str]]]
    icmpIdleTimeoutSec: Input[float]
    initialNatIps: Input[Sequence[Input[str]]]
    logConfig: ComputeRouterNatLogConfig
    maxPortsPerVm: Input[float]
    minPortsPerVm: Input[float]
    name: Input[str]
    nat64Subnetworks: Input[Sequence[SecretmanagerSecretTopic]]
    natIpAllocateOption: Input[str]
    natIps: Input[Sequence[Input[str]]]
    project: Input[str]
    region: Input[str]
    router: Input[str]
    rules: Input[Sequence[ComputeRouterNatRule]]
    sourceSubnetworkIpRangesToNat: Input[str]
    sourceSubnetworkIpRangesToNat64: Input[str]
    subnetworks: Input[Sequence[ComputeRouterNatSubnetwork]]
    tcpEstablishedIdleTimeoutSec: Input[float]
    tcpTimeWaitTimeoutSec: Input[float]
    tcpTransitoryIdleTimeoutSec: Input[float]
    type: Input[str]
    udpIdleTimeoutSec: Input[float]

class ComputeRouterNatLogConfig(TypedDict, total=False):
    enable: Input[bool]
    filter: Input[str]

class ComputeRouterNatRule(TypedDict, total=False):
    action: ComputeRouterNatRuleAction
    description: Input[str]
    match: Input[str]
    ruleNumber: Input[float]

class ComputeRouterNatRuleAction(TypedDict, total=False):
    sourceNatActiveIps: Input[Sequence[Input[str]]]
    sourceNatActiveRanges: Input[Sequence[Input[str]]]
    sourceNatDrainIps: Input[Sequence[Input[str]]]
    sourceNatDrainRanges: Input[Sequence[Input[str]]]

class ComputeRouterNatSubnetwork(TypedDict, total=False):
    name: Input[str]
    secondaryIpRangeNames: Input[Sequence[Input[str]]]
    sourceIpRangesToNats: Input[Sequence[Input[str]]]

class ComputeRouterParams(TypedDict, total=False):
    resourceManagerTags: Input[Mapping[str, Input[str]]]

class ComputeSubnetwork(TypedDict, total=False):
    allowSubnetCidrRoutesOverlap: Input[bool]
    deletionPolicy: Input[str]
    description: Input[str]
    externalIpv6Prefix: Input[str]
    internalIpv6Prefix: Input[str]
    ipCidrRange: Input[str]
    ipCollection: Input[str]
    ipv6AccessType: Input[str]
    logConfig: ComputeSubnetworkLogConfig
    name: Input[str]
    network: Input[str]
    params: ComputeRouterParams
    privateIpGoogleAccess: Input[bool]
    privateIpv6GoogleAccess: Input[str]
    project: Input[str]
    purpose: Input[str]
    region: Input[str]
    reservedInternalRange: Input[str]
    resolveSubnetMask: Input[str]
    role: Input[str]
    secondaryIpRanges: Input[Sequence[ComputeSubnetworkSecondaryIpRange]]
    sendSecondaryIpRangeIfEmpty: Input[bool]
    stackType: Input[str]

class ComputeSubnetworkLogConfig(TypedDict, total=False):
    aggregationInterval: Input[str]
    filterExpr: Input[str]
    flowSampling: Input[float]
    metadata: Input[str]
    metadataFields: Input[Sequence[Input[str]]]

class ComputeSubnetworkSecondaryIpRange(TypedDict, total=False):
    ipCidrRange: Input[str]
    ipCollection: Input[str]
    ipVersion: Input[str]
    rangeName: Input[str]
    reservedInternalRange: Input[str]

class ContainerCluster(TypedDict, total=False):
    addonsConfig: ContainerClusterAddonsConfig
    allowNetAdmin: Input[bool]
    anonymousAuthenticationConfig: ComputeInstanceGroupManagerTargetSizePolicy
    authenticatorGroupsConfig: ContainerClusterAuthenticatorGroupsConfig
    autopilotClusterPolicyConfig: ContainerClusterAutopilotClusterPolicyConfig
    autopilotPrivilegedAdmissions: Input[Sequence[Input[str]]]
    binaryAuthorization: ContainerClusterBinaryAuthorization
    clusterAutoscaling: ContainerClusterClusterAutoscaling
    clusterIpv4Cidr: Input[str]
    clusterTelemetry: ContainerClusterClusterTelemetry
    confidentialNodes: ContainerClusterConfidentialNodes
    controlPlaneEndpointsConfig: ContainerClusterControlPlaneEndpointsConfig
    costManagementConfig: StorageBucketVersioning
    databaseEncryption: ContainerClusterDatabaseEncryption
    datapathProvider: Input[str]
    dataplaneOptimizationMode: Input[str]
    defaultMaxPodsPerNode: Input[float]
    defaultSnatStatus: ContainerClusterDefaultSnatStatus
    deletionPolicy: Input[str]
    deletionProtection: Input[bool]
    description: Input[str]
    desiredEmulatedVersion: Input[str]
    disableL4LbFirewallReconciliation: Input[bool]
    dnsConfig: ContainerClusterDnsConfig
    enableAutopilot: Input[bool]
    enableCiliumClusterwideNetworkPolicy: Input[bool]
    enableFqdnNetworkPolicy: Input[bool]
    enableIntranodeVisibility: Input[bool]
    enableK8sBetaApis: ContainerClusterEnableK8sBetaApis
    enableKubernetesAlpha: Input[bool]
    enableL4IlbSubsetting: Input[bool]
    enableLegacyAbac: Input[bool]
    enableMultiNetworking: Input[bool]
    enableShieldedNodes: Input[bool]
    enableTpu: Input[bool]
    enterpriseConfig: ContainerClusterEnterpriseConfig
    fleet: ContainerClusterFleet
    gatewayApiConfig: ContainerClusterReleaseChannel
    gkeAutoUpgradeConfig: ContainerClusterGkeAutoUpgradeConfig
    identityServiceConfig: ContainerClusterIdentityServiceConfig
    ignoreNodeCountChanges: Input[bool]
    inTransitEncryptionConfig: Input[str]
    initialNodeCount: Input[float]
    ipAllocationPolicy: ContainerClusterIpAllocationPolicy
    location: Input[str]
    loggingConfig: ContainerClusterLoggingConfig
    loggingService: Input[str]
    maintenancePolicy: ContainerClusterMaintenancePolicy
    managedMachineLearningDiagnosticsConfig: ContainerClusterIdentityServiceConfig
    managedOpentelemetryConfig: ContainerClusterManagedOpentelemetryConfig
    masterAuth: ContainerClusterMasterAuth
    masterAuthorizedNetworksConfig: ContainerClusterMasterAuthorizedNetworksConfig
    meshCertificates: ContainerClusterMeshCertificates
    minMasterVersion: Input[str]
    monitoringConfig: ContainerClusterMonitoringConfig
    monitoringService: Input[str]
    name: Input[str]
    network: Input[str]
    networkPerformanceConfig: ContainerClusterNetworkPerformanceConfig
    networkPolicy: ContainerClusterNetworkPolicy
    networkingMode: Input[str]
    nodeConfig: ContainerClusterNodeConfig
    nodeCreationConfig: ContainerClusterNodeCreationConfig
    nodeLocations: Input[Sequence[Input[str]]]
    nodePoolAutoConfig: ContainerClusterNodePoolAutoConfig
    nodePoolDefaults: ContainerClusterNodePoolDefaults
    nodePools: Input[Sequence[ContainerClusterNodePool]]
    nodeVersion: Input[str]
    notificationConfig: ContainerClusterNotificationConfig
    podAutoscaling: ContainerClusterPodAutoscaling
    podSecurityPolicyConfig: StorageBucketVersioning
    privateClusterConfig: ContainerClusterPrivateClusterConfig
    privateIpv6GoogleAccess: Input[str]
    project: Input[str]
    protectConfig: ContainerClusterProtectConfig
    rbacBindingConfig: ContainerClusterRbacBindingConfig
    releaseChannel: ContainerClusterReleaseChannel
    removeDefaultNodePool: Input[bool]
    resourceLabels: Input[Mapping[str, Input[str]]]
    resourceUsageExportConfig: ContainerClusterResourceUsageExportConfig
    rollbackSafeUpgrade: ContainerClusterRollbackSafeUpgrade
    secretManagerConfig: ContainerClusterSecretSyncConfig
    secretSyncConfig: ContainerClusterSecretSyncConfig
    securityPostureConfig: ContainerClusterSecurityPostureConfig
    serviceExternalIpsConfig: StorageBucketVersioning
    skipNodePoolRefresh: Input[bool]
    subnetwork: Input[str]
    tpuConfig: ContainerClusterTpuConfig
    userManagedKeysConfig: ContainerClusterUserManagedKeysConfig
    verticalPodAutoscaling: StorageBucketVersioning
    workloadAltsConfig: ContainerClusterWorkloadAltsConfig
    workloadIdentityConfig: ContainerClusterWorkloadIdentityConfig

class ContainerClusterAddonsConfig(TypedDict, total=False):
    agentSandboxConfig: StorageBucketVersioning
    cloudrunConfig: ContainerClusterAddonsConfigCloudrunConfig
    configConnectorConfig: StorageBucketVersioning
    dnsCacheConfig: StorageBucketVersioning
    gcePersistentDiskCsiDriverConfig: StorageBucketVersioning
    gcpFilestoreCsiDriverConfig: StorageBucketVersioning
    gcsFuseCsiDriverConfig: StorageBucketVersioning
    gkeBackupAgentConfig: StorageBucketVersioning
    highScaleCheckpointingConfig: StorageBucketVersioning
    horizontalPodAutoscaling: ContainerClusterDefaultSnatStatus
    httpLoadBalancing: ContainerClusterDefaultSnatStatus
    istioConfig: ContainerClusterAddonsConfigIstioConfig
    kalmConfig: StorageBucketVersioning
    lustreCsiDriverConfig: ContainerClusterAddonsConfigLustreCsiDriverConfig
    networkPolicyConfig: ContainerClusterDefaultSnatStatus
    nodeReadinessConfig: StorageBucketVersioning
    parallelstoreCsiDriverConfig: StorageBucketVersioning
    podSnapshotConfig: StorageBucketVersioning
    rayOperatorConfigs: Input[Sequence[ContainerClusterAddonsConfigRayOperatorConfig]]
    sliceControllerConfig: StorageBucketVersioning
    slurmOperatorConfig: StorageBucketVersioning
    statefulHaConfig: StorageBucketVersioning

class ContainerClusterAddonsConfigCloudrunConfig(TypedDict, total=False):
    disabled: Input[bool]
    loadBalancerType: Input[str]

class ContainerClusterAddonsConfigIstioConfig(TypedDict, total=False):
    auth: Input[str]
    disabled: Input[bool]

class ContainerClusterAddonsConfigLustreCsiDriverConfig(TypedDict, total=False):
    disableMultiNic: Input[bool]
    enableLegacyLustrePort: Input[bool]
    enabled: Input[bool]

class ContainerClusterAddonsConfigRayOperatorConfig(TypedDict, total=False):
    enabled: Input[bool]
    rayClusterLoggingConfig: StorageBucketVersioning
    rayClusterMonitoringConfig: StorageBucketVersioning

class ContainerClusterAuthenticatorGroupsConfig(TypedDict, total=False):
    securityGroup: Input[str]

class ContainerClusterAutopilotClusterPolicyConfig(TypedDict, total=False):
    noStandardNodePools: Input[bool]
    noSystemImpersonation: Input[bool]
    noSystemMutation: Input[bool]
    noUnsafeWebhooks: Input[bool]

class ContainerClusterBinaryAuthorization(TypedDict, total=False):
    enabled: Input[bool]
    evaluationMode: Input[str]

class ContainerClusterClusterAutoscaling(TypedDict, total=False):
    autoProvisioningDefaults: ContainerClusterClusterAutoscalingAutoProvisioningDefaults
    autoProvisioningLocations: Input[Sequence[Input[str]]]
    autoscalingProfile: Input[str]
    defaultComputeClassEnabled: Input[bool]
    enabled: Input[bool]
    resourceLimits: Input[Sequence[ContainerClusterClusterAutoscalingResourceLimit]]

class ContainerClusterClusterAutoscalingAutoProvisioningDefaults(TypedDict, total=False):
    bootDiskKmsKey: Input[str]
    diskSize: Input[float]
    diskType: Input[str]
    imageType: Input[str]
    management: ContainerClusterClusterAutoscalingAutoProvisioningDefaultsManagement
    minCpuPlatform: Input[str]
    oauthScopes: Input[Sequence[Input[str]]]
    serviceAccount: Input[str]
    shieldedInstanceConfig: ContainerClusterNodeConfigShieldedInstanceConfig
    upgradeSettings: ContainerClusterClusterAutoscalingAutoProvisioningDefaultsUpgradeSettings

class ContainerClusterClusterAutoscalingAutoProvisioningDefaultsManagement(TypedDict, total=False):
    autoRepair: Input[bool]
    autoUpgrade: Input[bool]
    upgradeOptions: Input[Sequence[ContainerClusterClusterAutoscalingAutoProvisioningDefaultsManagementUpgradeOption]]

class ContainerClusterClusterAutoscalingAutoProvisioningDefaultsManagementUpgradeOption(TypedDict, total=False):
    autoUpgradeStartTime: Input[str]
    description: Input[str]

class ContainerClusterClusterAutoscalingAutoProvisioningDefaultsUpgradeSettings(TypedDict, total=False):
    blueGreenSettings: ContainerClusterClusterAutoscalingAutoProvisioningDefaultsUpgradeSettingsBlueGreenSettings
    maxSurge: Input[float]
    maxUnavailable: Input[float]
    strategy: Input[str]

class ContainerClusterClusterAutoscalingAutoProvisioningDefaultsUpgradeSettingsBlueGreenSettings(TypedDict, total=False):
    nodePoolSoakDuration: Input[str]
    standardRolloutPolicy: ContainerNodePoolUpgradeSettingsBlueGreenSettingsStandardRolloutPolicy

class ContainerClusterClusterAutoscalingResourceLimit(TypedDict, total=False):
    maximum: Input[float]
    minimum: Input[float]
    resourceType: Input[str]

class ContainerClusterClusterTelemetry(TypedDict, total=False):
    type: Input[str]

class ContainerClusterConfidentialNodes(TypedDict, total=False):
    confidentialInstanceType: Input[str]
    enabled: Input[bool]

class ContainerClusterControlPlaneEndpointsConfig(TypedDict, total=False):
    dnsEndpointConfig: ContainerClusterControlPlaneEndpointsConfigDnsEndpointConfig
    ipEndpointsConfig: ContainerClusterIdentityServiceConfig

class ContainerClusterControlPlaneEndpointsConfigDnsEndpointConfig(TypedDict, total=False):
    allowExternalTraffic: Input[bool]
    enableK8sCertsViaDns: Input[bool]
    enableK8sTokensViaDns: Input[bool]
    endpoint: Input[str]

class ContainerClusterDatabaseEncryption(TypedDict, total=False):
    keyName: Input[str]
    state: Input[str]

class ContainerClusterDefaultSnatStatus(TypedDict, total=False):
    disabled: Input[bool]

class ContainerClusterDnsConfig(TypedDict, total=False):
    additiveVpcScopeDnsDomain: Input[str]
    clusterDns: Input[str]
    clusterDnsDomain: Input[str]
    clusterDnsScope: Input[str]

class ContainerClusterEnableK8sBetaApis(TypedDict, total=False):
    enabledApis: Input[Sequence[Input[str]]]

class ContainerClusterEnterpriseConfig(TypedDict, total=False):
    clusterTier: Input[str]
    desiredTier: Input[str]

class ContainerClusterFleet(TypedDict, total=False):
    membership: Input[str]
    membershipId: Input[str]
    membershipLocation: Input[str]
    membershipType: Input[str]
    preRegistered: Input[bool]
    project: Input[str]

class ContainerClusterGkeAutoUpgradeConfig(TypedDict, total=False):
    patchMode: Input[str]

class ContainerClusterIdentityServiceConfig(TypedDict, total=False):
    enabled: Input[bool]

class ContainerClusterIpAllocationPolicy(TypedDict, total=False):
    additionalIpRangesConfigs: Input[Sequence[ContainerClusterIpAllocationPolicyAdditionalIpRangesConfig]]
    additionalPodRangesConfig: ContainerClusterIpAllocationPolicyAdditionalPodRangesConfig
    autoIpamConfig: StorageBucketVersioning
    clusterIpv4CidrBlock: Input[str]
    clusterSecondaryRangeName: Input[str]
    networkTierConfig: ContainerClusterIpAllocationPolicyNetworkTierConfig
    podCidrOverprovisionConfig: ContainerClusterDefaultSnatStatus
    servicesIpv4CidrBlock: Input[str]
    servicesSecondaryRangeName: Input[str]
    stackType: Input[str]

class ContainerClusterIpAllocationPolicyAdditionalIpRangesConfig(TypedDict, total=False):
    podIpv4RangeNames: Input[Sequence[Input[str]]]
    status: Input[str]
    subnetwork: Input[str]

class ContainerClusterIpAllocationPolicyAdditionalPodRangesConfig(TypedDict, total=False):
    podRangeNames: Input[Sequence[Input[str]]]

class ContainerClusterIpAllocationPolicyNetworkTierConfig(TypedDict, total=False):
    networkTier: Input[str]

class ContainerClusterLoggingConfig(TypedDict, total=False):
    enableComponents: Input[Sequence[Input[str]]]

class ContainerClusterMaintenancePolicy(TypedDict, total=False):
    dailyMaintenanceWindow: ContainerClusterMaintenancePolicyDailyMaintenanceWindow
    disruptionBudget: ContainerClusterMaintenancePolicyDisruptionBudget
    maintenanceExclusions: Input[Sequence[ContainerClusterMaintenancePolicyMaintenanceExclusion]]
    recurringMaintenanceWindow: ContainerClusterMaintenancePolicyRecurringMaintenanceWindow
    recurringWindow: ContainerClusterMaintenancePolicyRecurringWindow

class ContainerClusterMaintenancePolicyDailyMaintenanceWindow(TypedDict, total=False):
    duration: Input[str]
    startTime: Input[str]

class ContainerClusterMaintenancePolicyDisruptionBudget(TypedDict, total=False):
    lastDisruptionTime: Input[str]
    lastMinorVersionDisruptionTime: Input[str]
    minorVersionDisruptionInterval: Input[str]
    patchVersionDisruptionInterval: Input[str]

class ContainerClusterMaintenancePolicyMaintenanceExclusion(TypedDict, total=False):
    endTime: Input[str]
    exclusionName: Input[str]
    exclusionOptions: ContainerClusterMaintenancePolicyMaintenanceExclusionExclusionOptions
    startTime: Input[str]

class ContainerClusterMaintenancePolicyMaintenanceExclusionExclusionOptions(TypedDict, total=False):
    endTimeBehavior: Input[str]
    scope: Input[str]

class ContainerClusterMaintenancePolicyRecurringMaintenanceWindow(TypedDict, total=False):
    delayUntil: ContainerClusterMaintenancePolicyRecurringMaintenanceWindowDelayUntil
    recurrence: Input[str]
    windowDuration: Input[str]
    windowStartTime: ContainerClusterMaintenancePolicyRecurringMaintenanceWindowWindowStartTime

class ContainerClusterMaintenancePolicyRecurringMaintenanceWindowDelayUntil(TypedDict, total=False):
    day: Input[float]
    month: Input[float]
    year: Input[float]

class ContainerClusterMaintenancePolicyRecurringMaintenanceWindowWindowStartTime(TypedDict, total=False):
    hours: Input[float]
    minutes: Input[float]
    seconds: Input[float]

class ContainerClusterMaintenancePolicyRecurringWindow(TypedDict, total=False):
    endTime: Input[str]
    recurrence: Input[str]
    startTime: Input[str]

class ContainerClusterManagedOpentelemetryConfig(TypedDict, total=False):
    scope: Input[str]

class ContainerClusterMasterAuth(TypedDict, total=False):
    clientCertificate: Input[str]
    clientCertificateConfig: ContainerClusterMasterAuthClientCertificateConfig
    clientKey: Input[str]
    clusterCaCertificate: Input[str]

class ContainerClusterMasterAuthClientCertificateConfig(TypedDict, total=False):
    issueClientCertificate: Input[bool]

class ContainerClusterMasterAuthorizedNetworksConfig(TypedDict, total=False):
    cidrBlocks: Input[Sequence[ContainerClusterMasterAuthorizedNetworksConfigCidrBlock]]
    gcpPublicCidrsAccessEnabled: Input[bool]
    privateEndpointEnforcementEnabled: Input[bool]

class ContainerClusterMasterAuthorizedNetworksConfigCidrBlock(TypedDict, total=False):
    cidrBlock: Input[str]
    displayName: Input[str]

class ContainerClusterMeshCertificates(TypedDict, total=False):
    enableCertificates: Input[bool]

class ContainerClusterMonitoringConfig(TypedDict, total=False):
    advancedDatapathObservabilityConfig: ContainerClusterMonitoringConfigAdvancedDatapathObservabilityConfig
    enableComponents: Input[Sequence[Input[str]]]
    managedPrometheus: ContainerClusterMonitoringConfigManagedPrometheus

class ContainerClusterMonitoringConfigAdvancedDatapathObservabilityConfig(TypedDict, total=False):
    enableMetrics: Input[bool]
    enableRelay: Input[bool]

class ContainerClusterMonitoringConfigManagedPrometheus(TypedDict, total=False):
    autoMonitoringConfig: ContainerClusterMonitoringConfigManagedPrometheusAutoMonitoringConfig
    enabled: Input[bool]

class ContainerClusterMonitoringConfigManagedPrometheusAutoMonitoringConfig(TypedDict, total=False):
    scope: Input[str]

class ContainerClusterNetworkPerformanceConfig(TypedDict, total=False):
    totalEgressBandwidthTier: Input[str]

class ContainerClusterNetworkPolicy(TypedDict, total=False):
    enabled: Input[bool]
    provider: Input[str]

class ContainerClusterNodeConfig(TypedDict, total=False):
    advancedMachineFeatures: ContainerClusterNodeConfigAdvancedMachineFeatures
    bootDisk: ContainerClusterNodeConfigBootDisk
    bootDiskKmsKey: Input[str]
    confidentialNodes: ContainerClusterConfidentialNodes
    containerdConfig: ContainerClusterNodeConfigContainerdConfig
    diskSizeGb: Input[float]
    diskType: Input[str]
    effectiveTaints: Input[Sequence[ContainerClusterNodeConfigEffectiveTaint]]
    enableConfidentialStorage: Input[bool]
    ephemeralStorageConfig: ContainerClusterNodeConfigEphemeralStorageConfig
    ephemeralStorageLocalSsdConfig: ContainerClusterNodeConfigEphemeralStorageLocalSsdConfig
    fastSocket: StorageBucketVersioning
    flexStart: Input[bool]
    gcfsConfig: StorageBucketVersioning
    gpudirectStrategy: Input[str]
    guestAccelerators: Input[Sequence[ContainerClusterNodeConfigGuestAccelerator]]
    gvnic: StorageBucketVersioning
    hostMaintenancePolicy: ContainerClusterNodeConfigHostMaintenancePolicy
    imageType: Input[str]
    kubeletConfig: ContainerClusterNodeConfigKubeletConfig
    labels: Input[Mapping[str, Input[str]]]
    linuxNodeConfig: ContainerClusterNodeConfigLinuxNodeConfig
    localNvmeSsdBlockConfig: ContainerClusterNodeConfigEphemeralStorageConfig
    localSsdCount: Input[float]
    localSsdEncryptionMode: Input[str]
    loggingVariant: Input[str]
    machineType: Input[str]
    maxRunDuration: Input[str]
    metadata: Input[Mapping[str, Input[str]]]
    minCpuPlatform: Input[str]
    nodeGroup: Input[str]
    nodeImageConfigs: Input[Sequence[ContainerClusterNodeConfigNodeImageConfig]]
    oauthScopes: Input[Sequence[Input[str]]]
    preemptible: Input[bool]
    reservationAffinity: ContainerClusterNodeConfigReservationAffinity
    resourceLabels: Input[Mapping[str, Input[str]]]
    resourceManagerTags: Input[Mapping[str, Input[str]]]
    sandboxConfig: ContainerClusterNodeConfigSandboxConfig
    secondaryBootDisks: Input[Sequence[ContainerClusterNodeConfigSecondaryBootDisk]]
    serviceAccount: Input[str]
    shieldedInstanceConfig: ContainerClusterNodeConfigShieldedInstanceConfig
    soleTenantConfig: ContainerClusterNodeConfigSoleTenantConfig
    spot: Input[bool]
    storagePools: Input[Sequence[Input[str]]]
    tags: Input[Sequence[Input[str]]]
    taintConfig: ContainerClusterNodeConfigTaintConfig
    taints: Input[Sequence[ContainerClusterNodeConfigTaint]]
    windowsNodeConfig: ContainerClusterNodeConfigWindowsNodeConfig
    workloadMetadataConfig: ComputeInstanceGroupManagerTargetSizePolicy

class ContainerClusterNodeConfigAdvancedMachineFeatures(TypedDict, total=False):
    enableNestedVirtualization: Input[bool]
    performanceMonitoringUnit: Input[str]
    threadsPerCore: Input[float]

class ContainerClusterNodeConfigBootDisk(TypedDict, total=False):
    diskType: Input[str]
    provisionedIops: Input[float]
    provisionedThroughput: Input[float]
    sizeGb: Input[float]

class ContainerClusterNodeConfigContainerdConfig(TypedDict, total=False):
    privateRegistryAccessConfig: ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfig
    registryHosts: Input[Sequence[ContainerClusterNodeConfigContainerdConfigRegistryHost]]
    writableCgroups: StorageBucketVersioning

class ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfig(TypedDict, total=False):
    certificateAuthorityDomainConfigs: Input[Sequence[ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfigCertificateAuthorityDomainConfig]]
    enabled: Input[bool]

class ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfigCertificateAuthorityDomainConfig(TypedDict, total=False):
    fqdns: Input[Sequence[Input[str]]]
    gcpSecretManagerCertificateConfig: ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfigCertificateAuthorityDomainConfigGcpSecretManagerCertificateConfig

class ContainerClusterNodeConfigContainerdConfigPrivateRegistryAccessConfigCertificateAuthorityDomainConfigGcpSecretManagerCertificateConfig(TypedDict, total=False):
    secretUri: Input[str]

class ContainerClusterNodeConfigContainerdConfigRegistryHost(TypedDict, total=False):
    hosts: Input[Sequence[ContainerClusterNodeConfigContainerdConfigRegistryHostHost]]
    server: Input[str]

class ContainerClusterNodeConfigContainerdConfigRegistryHostHost(TypedDict, total=False):
    capabilities: Input[Sequence[Input[str]]]
    cas: Input[Sequence[ContainerClusterNodeConfigContainerdConfigRegistryHostHostCa]]
    clients: Input[Sequence[ContainerClusterNodeConfigContainerdConfigRegistryHostHostClient]]
    dialTimeout: Input[str]
    headers: Input[Sequence[ComputeInstanceTemplateReservationAffinitySpecificReservation]]
    host: Input[str]
    overridePath: Input[bool]

class ContainerClusterNodeConfigContainerdConfigRegistryHostHostCa(TypedDict, total=False):
    gcpSecretManagerSecretUri: Input[str]

class ContainerClusterNodeConfigContainerdConfigRegistryHostHostClient(TypedDict, total=False):
    cert: ContainerClusterNodeConfigContainerdConfigRegistryHostHostCa
    key: ContainerClusterNodeConfigContainerdConfigRegistryHostHostCa

class ContainerClusterNodeConfigEffectiveTaint(TypedDict, total=False):
    effect: Input[str]
    key: Input[str]
    value: Input[str]

class ContainerClusterNodeConfigEphemeralStorageConfig(TypedDict, total=False):
    localSsdCount: Input[float]

class ContainerClusterNodeConfigEphemeralStorageLocalSsdConfig(TypedDict, total=False):
    dataCacheCount: Input[float]
    localSsdCount: Input[float]

class ContainerClusterNodeConfigGuestAccelerator(TypedDict, total=False):
    count: Input[float]
    gpuDriverInstallationConfig: ContainerClusterNodeConfigGuestAcceleratorGpuDriverInstallationConfig
    gpuPartitionSize: Input[str]
    gpuSharingConfig: ContainerClusterNodeConfigGuestAcceleratorGpuSharingConfig
    type: Input[str]

class ContainerClusterNodeConfigGuestAcceleratorGpuDriverInstallationConfig(TypedDict, total=False):
    gpuDriverVersion: Input[str]

class ContainerClusterNodeConfigGuestAcceleratorGpuSharingConfig(TypedDict, total=False):
    gpuSharingStrategy: Input[str]
    maxSharedClientsPerGpu: Input[float]

class ContainerClusterNodeConfigHostMaintenancePolicy(TypedDict, total=False):
    maintenanceInterval: Input[str]
    opportunisticMaintenanceStrategy: ContainerClusterNodeConfigHostMaintenancePolicyOpportunisticMaintenanceStrategy

class ContainerClusterNodeConfigHostMaintenancePolicyOpportunisticMaintenanceStrategy(TypedDict, total=False):
    maintenanceAvailabilityWindow: Input[str]
    minNodesPerPool: Input[float]
    nodeIdleTimeWindow: Input[str]

class ContainerClusterNodeConfigKubeletConfig(TypedDict, total=False):
    allowedUnsafeSysctls: Input[Sequence[Input[str]]]
    containerLogMaxFiles: Input[float]
    containerLogMaxSize: Input[str]
    cpuCfsQuota: Input[bool]
    cpuCfsQuotaPeriod: Input[str]
    cpuManagerPolicy: Input[str]
    crashLoopBackOff: ContainerClusterNodeConfigKubeletConfigCrashLoopBackOff
    evictionMaxPodGracePeriodSeconds: Input[float]
    evictionMinimumReclaim: ContainerClusterNodeConfigKubeletConfigEvictionSoft
    evictionSoft: ContainerClusterNodeConfigKubeletConfigEvictionSoft
    evictionSoftGracePeriod: ContainerClusterNodeConfigKubeletConfigEvictionSoft
    imageGcHighThresholdPercent: Input[float]
    imageGcLowThresholdPercent: Input[float]
    imageMaximumGcAge: Input[str]
    imageMinimumGcAge: Input[str]
    insecureKubeletReadonlyPortEnabled: Input[str]
    maxParallelImagePulls: Input[float]
    memoryManager: ContainerClusterNodeConfigKubeletConfigMemoryManager
    podPidsLimit: Input[float]
    shutdownGracePeriodCriticalPodsSeconds: Input[float]
    shutdownGracePeriodSeconds: Input[float]
    singleProcessOomKill: Input[bool]
    topologyManager: ContainerClusterNodeConfigKubeletConfigTopologyManager

class ContainerClusterNodeConfigKubeletConfigCrashLoopBackOff(TypedDict, total=False):
    maxContainerRestartPeriod: Input[str]

class ContainerClusterNodeConfigKubeletConfigEvictionSoft(TypedDict, total=False):
    imagefsAvailable: Input[str]
    imagefsInodesFree: Input[str]
    memoryAvailable: Input[str]
    nodefsAvailable: Input[str]
    nodefsInodesFree: Input[str]
    pidAvailable: Input[str]

class ContainerClusterNodeConfigKubeletConfigMemoryManager(TypedDict, total=False):
    policy: Input[str]

class ContainerClusterNodeConfigKubeletConfigTopologyManager(TypedDict, total=False):
    policy: Input[str]
    scope: Input[str]

class ContainerClusterNodeConfigLinuxNodeConfig(TypedDict, total=False):
    accurateTimeConfig: ContainerClusterNodeConfigLinuxNodeConfigAccurateTimeConfig
    cgroupMode: Input[str]
    customNodeInit: ContainerClusterNodeConfigLinuxNodeConfigCustomNodeInit
    hugepagesConfig: ContainerClusterNodeConfigLinuxNodeConfigHugepagesConfig
    nodeKernelModuleLoading: ContainerClusterNodeConfigKubeletConfigMemoryManager
    swapConfig: ContainerClusterNodeConfigLinuxNodeConfigSwapConfig
    sysctls: Input[Mapping[str, Input[str]]]
    transparentHugepageDefrag: Input[str]
    transparentHugepageEnabled: Input[str]

class ContainerClusterNodeConfigLinuxNodeConfigAccurateTimeConfig(TypedDict, total=False):
    enablePtpKvmTimeSync: Input[bool]

class ContainerClusterNodeConfigLinuxNodeConfigCustomNodeInit(TypedDict, total=False):
    initScript: ContainerClusterNodeConfigLinuxNodeConfigCustomNodeInitInitScript

class ContainerClusterNodeConfigLinuxNodeConfigCustomNodeInitInitScript(TypedDict, total=False):
    gcpSecretManagerSecretUri: Input[str]
    gcsGeneration: Input[float]
    gcsUri: Input[str]

class ContainerClusterNodeConfigLinuxNodeConfigHugepagesConfig(TypedDict, total=False):
    hugepageSize1g: Input[float]
    hugepageSize2m: Input[float]

class ContainerClusterNodeConfigLinuxNodeConfigSwapConfig(TypedDict, total=False):
    bootDiskProfile: ContainerClusterNodeConfigLinuxNodeConfigSwapConfigBootDiskProfile
    dedicatedLocalSsdProfile: ContainerClusterNodeConfigLinuxNodeConfigSwapConfigDedicatedLocalSsdProfile
    enabled: Input[bool]
    encryptionConfig: ContainerClusterNodeConfigLinuxNodeConfigSwapConfigEncryptionConfig
    ephemeralLocalSsdProfile: ContainerClusterNodeConfigLinuxNodeConfigSwapConfigBootDiskProfile

class ContainerClusterNodeConfigLinuxNodeConfigSwapConfigBootDiskProfile(TypedDict, total=False):
    swapSizeGib: Input[float]
    swapSizePercent: Input[float]

class ContainerClusterNodeConfigLinuxNodeConfigSwapConfigDedicatedLocalSsdProfile(TypedDict, total=False):
    diskCount: Input[float]

class ContainerClusterNodeConfigLinuxNodeConfigSwapConfigEncryptionConfig(TypedDict, total=False):
    disabled: Input[bool]

class ContainerClusterNodeConfigNodeImageConfig(TypedDict, total=False):
    image: Input[str]
    imageProject: Input[str]

class ContainerClusterNodeConfigReservationAffinity(TypedDict, total=False):
    consumeReservationType: Input[str]
    key: Input[str]
    values: Input[Sequence[Input[str]]]

class ContainerClusterNodeConfigSandboxConfig(TypedDict, total=False):
    sandboxType: Input[str]
    type: Input[str]

class ContainerClusterNodeConfigSecondaryBootDisk(TypedDict, total=False):
    diskImage: Input[str]
    mode: Input[str]

class ContainerClusterNodeConfigShieldedInstanceConfig(TypedDict, total=False):
    enableIntegrityMonitoring: Input[bool]
    enableSecureBoot: Input[bool]

class ContainerClusterNodeConfigSoleTenantConfig(TypedDict, total=False):
    minNodeCpus: Input[float]
    nodeAffinities: Input[Sequence[ComputeInstanceTemplateSchedulingNodeAffinity]]

class ContainerClusterNodeConfigTaint(TypedDict, total=False):
    effect: Input[str]
    key: Input[str]
    value: Input[str]

class ContainerClusterNodeConfigTaintConfig(TypedDict, total=False):
    architectureTaintBehavior: Input[str]

class ContainerClusterNodeConfigWindowsNodeConfig(TypedDict, total=False):
    osversion: Input[str]

class ContainerClusterNodeCreationConfig(TypedDict, total=False):
    nodeCreationMode: Input[str]

class ContainerClusterNodePool(TypedDict, total=False):
    autoscaling: ContainerNodePoolAutoscaling
    bestEffortProvisioning: ContainerNodePoolBestEffortProvisioning
    ignoreNodeCountChanges: Input[bool]
    initialNodeCount: Input[float]
    instanceGroupUrls: Input[Sequence[Input[str]]]
    maintenancePolicies: Input[Sequence[ContainerNodePoolMaintenancePolicy]]
    managedInstanceGroupUrls: Input[Sequence[Input[str]]]
    management: ContainerNodePoolManagement
    maxPodsPerNode: Input[float]
    name: Input[str]
    namePrefix: Input[str]
    networkConfig: ContainerNodePoolNetworkConfig
    nodeConfig: ContainerClusterNodeConfig
    nodeCount: Input[float]
    nodeDrainConfigs: Input[Sequence[ContainerNodePoolNodeDrainConfig]]
    nodeLocations: Input[Sequence[Input[str]]]
    placementPolicy: ContainerNodePoolPlacementPolicy
    queuedProvisioning: StorageBucketVersioning
    upgradeSettings: ContainerNodePoolUpgradeSettings
    version: Input[str]

class ContainerClusterNodePoolAutoConfig(TypedDict, total=False):
    linuxNodeConfig: ContainerClusterNodePoolAutoConfigLinuxNodeConfig
    networkTags: ContainerClusterNodePoolAutoConfigNetworkTags
    nodeKubeletConfig: ContainerClusterNodePoolAutoConfigNodeKubeletConfig
    resourceManagerTags: Input[Mapping[str, Input[str]]]

class ContainerClusterNodePoolAutoConfigLinuxNodeConfig(TypedDict, total=False):
    cgroupMode: Input[str]
    nodeKernelModuleLoading: ContainerClusterNodeConfigKubeletConfigMemoryManager

class ContainerClusterNodePoolAutoConfigNetworkTags(TypedDict, total=False):
    tags: Input[Sequence[Input[str]]]

class ContainerClusterNodePoolAutoConfigNodeKubeletConfig(TypedDict, total=False):
    insecureKubeletReadonlyPortEnabled: Input[str]

class ContainerClusterNodePoolDefaults(TypedDict, total=False):
    nodeConfigDefaults: ContainerClusterNodePoolDefaultsNodeConfigDefaults

class ContainerClusterNodePoolDefaultsNodeConfigDefaults(TypedDict, total=False):
    containerdConfig: ContainerClusterNodeConfigContainerdConfig
    gcfsConfig: StorageBucketVersioning
    insecureKubeletReadonlyPortEnabled: Input[str]
    loggingVariant: Input[str]

class ContainerClusterNotificationConfig(TypedDict, total=False):
    pubsub: ContainerClusterNotificationConfigPubsub

class ContainerClusterNotificationConfigPubsub(TypedDict, total=False):
    enabled: Input[bool]
    filter: ContainerClusterNotificationConfigPubsubFilter
    topic: Input[str]

class ContainerClusterNotificationConfigPubsubFilter(TypedDict, total=False):
    eventTypes: Input[Sequence[Input[str]]]

class ContainerClusterPodAutoscaling(TypedDict, total=False):
    hpaProfile: Input[str]

class ContainerClusterPrivateClusterConfig(TypedDict, total=False):
    enablePrivateEndpoint: Input[bool]
    enablePrivateNodes: Input[bool]
    masterGlobalAccessConfig: StorageBucketVersioning
    masterIpv4CidrBlock: Input[str]
    peeringName: Input[str]
    privateEndpoint: Input[str]
    privateEndpointSubnetwork: Input[str]
    publicEndpoint: Input[str]

class ContainerClusterProtectConfig(TypedDict, total=False):
    workloadConfig: ContainerClusterProtectConfigWorkloadConfig
    workloadVulnerabilityMode: Input[str]

class ContainerClusterProtectConfigWorkloadConfig(TypedDict, total=False):
    auditMode: Input[str]

class ContainerClusterRbacBindingConfig(TypedDict, total=False):
    enableInsecureBindingSystemAuthenticated: Input[bool]
    enableInsecureBindingSystemUnauthenticated: Input[bool]

class ContainerClusterReleaseChannel(TypedDict, total=False):
    channel: Input[str]

class ContainerClusterResourceUsageExportConfig(TypedDict, total=False):
    bigqueryDestination: ContainerClusterResourceUsageExportConfigBigqueryDestination
    enableNetworkEgressMetering: Input[bool]
    enableResourceConsumptionMetering: Input[bool]

class ContainerClusterResourceUsageExportConfigBigqueryDestination(TypedDict, total=False):
    datasetId: Input[str]

class ContainerClusterRollbackSafeUpgrade(TypedDict, total=False):
    controlPlaneSoakDuration: Input[str]

class ContainerClusterSecretSyncConfig(TypedDict, total=False):
    enabled: Input[bool]
    rotationConfig: ContainerClusterSecretSyncConfigRotationConfig

class ContainerClusterSecretSyncConfigRotationConfig(TypedDict, total=False):
    enabled: Input[bool]
    rotationInterval: Input[str]

class ContainerClusterSecurityPostureConfig(TypedDict, total=False):
    mode: Input[str]
    vulnerabilityMode: Input[str]

class ContainerClusterTpuConfig(TypedDict, total=False):
    enabled: Input[bool]
    ipv4CidrBlock: Input[str]
    useServiceNetworking: Input[bool]

class ContainerClusterUserManagedKeysConfig(TypedDict, total=False):
    aggregationCa: Input[str]
    clusterCa: Input[str]
    controlPlaneDiskEncryptionKey: Input[str]
    controlPlaneDiskEncryptionKeyVersions: Input[Sequence[Input[str]]]
    etcdApiCa: Input[str]
    etcdPeerCa: Input[str]
    gkeopsEtcdBackupEncryptionKey: Input[str]
    serviceAccountSigningKeys: Input[Sequence[Input[str]]]
    serviceAccountVerificationKeys: Input[Sequence[Input[str]]]

class ContainerClusterWorkloadAltsConfig(TypedDict, total=False):
    enableAlts: Input[bool]

class ContainerClusterWorkloadIdentityConfig(TypedDict, total=False):
    workloadPool: Input[str]

class ContainerNodePool(TypedDict, total=False):
    autoscaling: ContainerNodePoolAutoscaling
    bestEffortProvisioning: ContainerNodePoolBestEffortProvisioning
    cluster: Input[str]
    deletionPolicy: Input[str]
    ignoreNodeCountChanges: Input[bool]
    initialNodeCount: Input[float]
    location: Input[str]
    maintenancePolicies: Input[Sequence[ContainerNodePoolMaintenancePolicy]]
    management: ContainerNodePoolManagement
    maxPodsPerNode: Input[float]
    name: Input[str]
    namePrefix: Input[str]
    networkConfig: ContainerNodePoolNetworkConfig
    nodeConfig: ContainerClusterNodeConfig
    nodeCount: Input[float]
    nodeDrainConfigs: Input[Sequence[ContainerNodePoolNodeDrainConfig]]
    nodeLocations: Input[Sequence[Input[str]]]
    placementPolicy: ContainerNodePoolPlacementPolicy
    project: Input[str]
    queuedProvisioning: StorageBucketVersioning
    upgradeSettings: ContainerNodePoolUpgradeSettings
    version: Input[str]

class ContainerNodePoolAutoscaling(TypedDict, total=False):
    locationPolicy: Input[str]
    maxNodeCount: Input[float]
    minNodeCount: Input[float]
    totalMaxNodeCount: Input[float]
    totalMinNodeCount: Input[float]

class ContainerNodePoolBestEffortProvisioning(TypedDict, total=False):
    enabled: Input[bool]
    minProvisionNodes: Input[float]

class ContainerNodePoolMaintenancePolicy(TypedDict, total=False):
    exclusionUntilEndOfSupports: Input[Sequence[ContainerNodePoolMaintenancePolicyExclusionUntilEndOfSupport]]

class ContainerNodePoolMaintenancePolicyExclusionUntilEndOfSupport(TypedDict, total=False):
    enabled: Input[bool]
    endTime: Input[str]
    startTime: Input[str]

class ContainerNodePoolManagement(TypedDict, total=False):
    autoRepair: Input[bool]
    autoUpgrade: Input[bool]

class ContainerNodePoolNetworkConfig(TypedDict, total=False):
    acceleratorNetworkProfile: Input[str]
    additionalNodeNetworkConfigs: Input[Sequence[ContainerNodePoolNetworkConfigAdditionalNodeNetworkConfig]]
    additionalPodNetworkConfigs: Input[Sequence[ContainerNodePoolNetworkConfigAdditionalPodNetworkConfig]]
    createPodRange: Input[bool]
    enablePrivateNodes: Input[bool]
    networkPerformanceConfig: ContainerClusterNetworkPerformanceConfig
    podCidrOverprovisionConfig: ContainerClusterDefaultSnatStatus
    podIpv4CidrBlock: Input[str]
    podRange: Input[str]
    subnetwork: Input[str]

class ContainerNodePoolNetworkConfigAdditionalNodeNetworkConfig(TypedDict, total=False):
    network: Input[str]
    stackType: Input[str]
    subnetwork: Input[str]

class ContainerNodePoolNetworkConfigAdditionalPodNetworkConfig(TypedDict, total=False):
    maxPodsPerNode: Input[float]
    secondaryPodRange: Input[str]
    subnetwork: Input[str]

class ContainerNodePoolNodeDrainConfig(TypedDict, total=False):
    graceTerminationDuration: Input[str]
    pdbTimeoutDuration: Input[str]
    respectPdbDuringNodePoolDeletion: Input[bool]

class ContainerNodePoolPlacementPolicy(TypedDict, total=False):
    policyName: Input[str]
    tpuTopology: Input[str]
    type: Input[str]

class ContainerNodePoolUpgradeSettings(TypedDict, total=False):
    blueGreenSettings: ContainerNodePoolUpgradeSettingsBlueGreenSettings
    maxSurge: Input[float]
    maxUnavailable: Input[float]
    strategy: Input[str]

class ContainerNodePoolUpgradeSettingsBlueGreenSettings(TypedDict, total=False):
    autoscaledRolloutPolicy: ContainerNodePoolUpgradeSettingsBlueGreenSettingsAutoscaledRolloutPolicy
    nodePoolSoakDuration: Input[str]
    standardRolloutPolicy: ContainerNodePoolUpgradeSettingsBlueGreenSettingsStandardRolloutPolicy

class ContainerNodePoolUpgradeSettingsBlueGreenSettingsAutoscaledRolloutPolicy(TypedDict, total=False):
    waitForDrainDuration: Input[str]

class ContainerNodePoolUpgradeSettingsBlueGreenSettingsStandardRolloutPolicy(TypedDict, total=False):
    batchNodeCount: Input[float]
    batchPercentage: Input[float]
    batchSoakDuration: Input[str]

class KmsCryptoKeyIAMMember(TypedDict, total=False):
    condition: ProjectsIAMMemberCondition
    cryptoKeyId: Input[str]
    member: Input[str]
    role: Input[str]

class ProjectsIAMMember(TypedDict, total=False):
    condition: ProjectsIAMMemberCondition
    member: Input[str]
    project: Input[str]
    role: Input[str]

class ProjectsIAMMemberCondition(TypedDict, total=False):
    description: Input[str]
    expression: Input[str]
    title: Input[str]

class ProjectsService(TypedDict, total=False):
    checkIfServiceHasUsageOnDestroy: Input[bool]
    deletionPolicy: Input[str]
    disableDependentServices: Input[bool]
    disableOnDestroy: Input[bool]
    project: Input[str]
    service: Input[str]

class SecretmanagerSecret(TypedDict, total=False):
    annotations: Input[Mapping[str, Input[str]]]
    deletionPolicy: Input[str]
    deletionProtection: Input[bool]
    expireTime: Input[str]
    labels: Input[Mapping[str, Input[str]]]
    project: Input[str]
    replication: SecretmanagerSecretReplication
    rotation: SecretmanagerSecretRotation
    secretId: Input[str]
    secretType: Input[str]
    tags: Input[Mapping[str, Input[str]]]
    topics: Input[Sequence[SecretmanagerSecretTopic]]
    ttl: Input[str]
    versionAliases: Input[Mapping[str, Input[str]]]
    versionDestroyTtl: Input[str]

class SecretmanagerSecretIamMember(TypedDict, total=False):
    condition: ProjectsIAMMemberCondition
    member: Input[str]
    project: Input[str]
    role: Input[str]
    secretId: Input[str]

class SecretmanagerSecretReplication(TypedDict, total=False):
    auto: SecretmanagerSecretReplicationAuto
    userManaged: SecretmanagerSecretReplicationUserManaged

class SecretmanagerSecretReplicationAuto(TypedDict, total=False):
    customerManagedEncryption: SecretmanagerSecretReplicationAutoCustomerManagedEncryption

class SecretmanagerSecretReplicationAutoCustomerManagedEncryption(TypedDict, total=False):
    kmsKeyName: Input[str]

class SecretmanagerSecretReplicationUserManaged(TypedDict, total=False):
    replicas: Input[Sequence[SecretmanagerSecretReplicationUserManagedReplica]]

class SecretmanagerSecretReplicationUserManagedReplica(TypedDict, total=False):
    customerManagedEncryption: SecretmanagerSecretReplicationAutoCustomerManagedEncryption
    location: Input[str]

class SecretmanagerSecretRotation(TypedDict, total=False):
    nextRotationTime: Input[str]
    rotationPeriod: Input[str]

class SecretmanagerSecretTopic(TypedDict, total=False):
    name: Input[str]

class ServiceaccountAccount(TypedDict, total=False):
    accountId: Input[str]
    createIgnoreAlreadyExists: Input[bool]
    deletionPolicy: Input[str]
    description: Input[str]
    disabled: Input[bool]
    displayName: Input[str]
    project: Input[str]

class ServiceaccountIAMMember(TypedDict, total=False):
    condition: ProjectsIAMMemberCondition
    member: Input[str]
    role: Input[str]
    serviceAccountId: Input[str]

class ServicenetworkingConnection(TypedDict, total=False):
    deletionPolicy: Input[str]
    network: Input[str]
    reservedPeeringRanges: Input[Sequence[Input[str]]]
    service: Input[str]
    updateOnCreationFail: Input[bool]

class StorageBucket(TypedDict, total=False):
    autoclass: StorageBucketAutoclass
    cors: Input[Sequence[StorageBucketCor]]
    customPlacementConfig: StorageBucketCustomPlacementConfig
    defaultEventBasedHold: Input[bool]
    deletionPolicy: Input[str]
    enableObjectRetention: Input[bool]
    encryption: StorageBucketEncryption
    forceDestroy: Input[bool]
    hierarchicalNamespace: StorageBucketVersioning
    ipFilter: StorageBucketIpFilter
    labels: Input[Mapping[str, Input[str]]]
    lifecycleRules: Input[Sequence[StorageBucketLifecycleRule]]
    location: Input[str]
    logging: StorageBucketLogging
    name: Input[str]
    project: Input[str]
    publicAccessPrevention: Input[str]
    requesterPays: Input[bool]
    retentionPolicy: StorageBucketRetentionPolicy
    rpo: Input[str]
    softDeletePolicy: StorageBucketSoftDeletePolicy
    storageClass: Input[str]
    uniformBucketLevelAccess: Input[bool]
    versioning: StorageBucketVersioning
    website: StorageBucketWebsite

class StorageBucketAutoclass(TypedDict, total=False):
    enabled: Input[bool]
    terminalStorageClass: Input[str]

class StorageBucketCor(TypedDict, total=False):
    maxAgeSeconds: Input[float]
    methods: Input[Sequence[Input[str]]]
    origins: Input[Sequence[Input[str]]]
    responseHeaders: Input[Sequence[Input[str]]]

class StorageBucketCustomPlacementConfig(TypedDict, total=False):
    dataLocations: Input[Sequence[Input[str]]]

class StorageBucketEncryption(TypedDict, total=False):
    customerManagedEncryptionEnforcementConfig: StorageBucketEncryptionGoogleManagedEncryptionEnforcementConfig
    customerSuppliedEncryptionEnforcementConfig: StorageBucketEncryptionGoogleManagedEncryptionEnforcementConfig
    defaultKmsKeyName: Input[str]
    googleManagedEncryptionEnforcementConfig: StorageBucketEncryptionGoogleManagedEncryptionEnforcementConfig

class StorageBucketEncryptionGoogleManagedEncryptionEnforcementConfig(TypedDict, total=False):
    effectiveTime: Input[str]
    restrictionMode: Input[str]

class StorageBucketIAMMember(TypedDict, total=False):
    bucket: Input[str]
    condition: ProjectsIAMMemberCondition
    member: Input[str]
    role: Input[str]

class StorageBucketIpFilter(TypedDict, total=False):
    allowAllServiceAgentAccess: Input[bool]
    allowCrossOrgVpcs: Input[bool]
    mode: Input[str]
    publicNetworkSource: StorageBucketIpFilterPublicNetworkSource
    vpcNetworkSources: Input[Sequence[StorageBucketIpFilterVpcNetworkSource]]

class StorageBucketIpFilterPublicNetworkSource(TypedDict, total=False):
    allowedIpCidrRanges: Input[Sequence[Input[str]]]

class StorageBucketIpFilterVpcNetworkSource(TypedDict, total=False):
    allowedIpCidrRanges: Input[Sequence[Input[str]]]
    network: Input[str]

class StorageBucketLifecycleRule(TypedDict, total=False):
    action: StorageBucketLifecycleRuleAction
    condition: StorageBucketLifecycleRuleCondition

class StorageBucketLifecycleRuleAction(TypedDict, total=False):
    storageClass: Input[str]
    type: Input[str]

class StorageBucketLifecycleRuleCondition(TypedDict, total=False):
    age: Input[float]
    createdBefore: Input[str]
    customTimeBefore: Input[str]
    daysSinceCustomTime: Input[float]
    daysSinceNoncurrentTime: Input[float]
    matchesPrefixes: Input[Sequence[Input[str]]]
    matchesStorageClasses: Input[Sequence[Input[str]]]
    matchesSuffixes: Input[Sequence[Input[str]]]
    noncurrentTimeBefore: Input[str]
    numNewerVersions: Input[float]
    sendAgeIfZero: Input[bool]
    sendDaysSinceCustomTimeIfZero: Input[bool]
    sendDaysSinceNoncurrentTimeIfZero: Input[bool]
    sendNumNewerVersionsIfZero: Input[bool]
    sizeAboveBytes: Input[float]
    sizeBelowBytes: Input[float]
    withState: Input[str]

class StorageBucketLogging(TypedDict, total=False):
    logBucket: Input[str]
    logObjectPrefix: Input[str]

class StorageBucketRetentionPolicy(TypedDict, total=False):
    isLocked: Input[bool]
    retentionPeriod: Input[str]

class StorageBucketSoftDeletePolicy(TypedDict, total=False):
    effectiveTime: Input[str]
    retentionDurationSeconds: Input[float]

class StorageBucketVersioning(TypedDict, total=False):
    enabled: Input[bool]

class StorageBucketWebsite(TypedDict, total=False):
    mainPageSuffix: Input[str]
    notFoundPage: Input[str]
