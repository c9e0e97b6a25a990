"""Kubernetes' objects, as the API server reads them.

Made by `python -m dev.wire_types`. Do not edit.
"""

from typing import Any, TypedDict

class AWSElasticBlockStoreVolumeSource(TypedDict, total=False):
    fsType: str
    partition: int
    readOnly: bool
    volumeID: str

class Affinity(TypedDict, total=False):
    nodeAffinity: NodeAffinity
    podAffinity: PodAffinity
    podAntiAffinity: PodAntiAffinity

class AppArmorProfile(TypedDict, total=False):
    localhostProfile: str
    type: str

class AzureDiskVolumeSource(TypedDict, total=False):
    cachingMode: str
    diskName: str
    diskURI: str
    fsType: str
    kind: str
    readOnly: bool

class AzureFileVolumeSource(TypedDict, total=False):
    readOnly: bool
    secretName: str
    shareName: str

class CSIVolumeSource(TypedDict, total=False):
    driver: str
    fsType: str
    nodePublishSecretRef: LocalObjectReference
    readOnly: bool
    volumeAttributes: dict[str, str]

class Capabilities(TypedDict, total=False):
    add: list[str]
    drop: list[str]

class CephFSVolumeSource(TypedDict, total=False):
    monitors: list[str]
    path: str
    readOnly: bool
    secretFile: str
    secretRef: LocalObjectReference
    user: str

class CinderVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: LocalObjectReference
    volumeID: str

class ClientIPConfig(TypedDict, total=False):
    timeoutSeconds: int

class ClusterTrustBundleProjection(TypedDict, total=False):
    labelSelector: LabelSelector
    name: str
    optional: bool
    path: str
    signerName: str

class Condition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    observedGeneration: int
    reason: str
    status: str
    type: str

class ConfigMapEnvSource(TypedDict, total=False):
    name: str
    optional: bool

class ConfigMapKeySelector(TypedDict, total=False):
    key: str
    name: str
    optional: bool

class ConfigMapProjection(TypedDict, total=False):
    items: list[KeyToPath]
    name: str
    optional: bool

class ConfigMapVolumeSource(TypedDict, total=False):
    defaultMode: int
    items: list[KeyToPath]
    name: str
    optional: bool

class Container(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[EnvVar]
    envFrom: list[EnvFromSource]
    image: str
    imagePullPolicy: str
    lifecycle: Lifecycle
    livenessProbe: Probe
    name: str
    ports: list[ContainerPort]
    readinessProbe: Probe
    resizePolicy: list[ContainerResizePolicy]
    resources: ResourceRequirements
    restartPolicy: str
    restartPolicyRules: list[ContainerRestartRule]
    securityContext: SecurityContext
    startupProbe: Probe
    stdin: bool
    stdinOnce: bool
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[VolumeDevice]
    volumeMounts: list[VolumeMount]
    workingDir: str

class ContainerExtendedResourceRequest(TypedDict, total=False):
    containerName: str
    requestName: str
    resourceName: str

class ContainerPort(TypedDict, total=False):
    containerPort: int
    hostIP: str
    hostPort: int
    name: str
    protocol: str

class ContainerResizePolicy(TypedDict, total=False):
    resourceName: str
    restartPolicy: str

class ContainerRestartRule(TypedDict, total=False):
    action: str
    exitCodes: ContainerRestartRuleOnExitCodes

class ContainerRestartRuleOnExitCodes(TypedDict, total=False):
    operator: str
    values: list[int]

class ContainerState(TypedDict, total=False):
    running: ContainerStateRunning
    terminated: ContainerStateTerminated
    waiting: ContainerStateWaiting

class ContainerStateRunning(TypedDict, total=False):
    startedAt: str

class ContainerStateTerminated(TypedDict, total=False):
    containerID: str
    exitCode: int
    finishedAt: str
    message: str
    reason: str
    signal: int
    startedAt: str

class ContainerStateWaiting(TypedDict, total=False):
    message: str
    reason: str

class ContainerStatus(TypedDict, total=False):
    allocatedResources: dict[str, str]
    allocatedResourcesStatus: list[ResourceStatus]
    containerID: str
    image: str
    imageID: str
    lastState: ContainerState
    name: str
    ready: bool
    resources: ResourceRequirements
    restartCount: int
    started: bool
    state: ContainerState
    stopSignal: str
    user: ContainerUser
    volumeMounts: list[VolumeMountStatus]

class ContainerUser(TypedDict, total=False):
    linux: LinuxContainerUser

class CoreResourceClaim(TypedDict, total=False):
    name: str
    request: str

class DownwardAPIProjection(TypedDict, total=False):
    items: list[DownwardAPIVolumeFile]

class DownwardAPIVolumeFile(TypedDict, total=False):
    fieldRef: ObjectFieldSelector
    mode: int
    path: str
    resourceFieldRef: ResourceFieldSelector

class DownwardAPIVolumeSource(TypedDict, total=False):
    defaultMode: int
    items: list[DownwardAPIVolumeFile]

class EmptyDirVolumeSource(TypedDict, total=False):
    medium: str
    sizeLimit: str

class EnvFromSource(TypedDict, total=False):
    configMapRef: ConfigMapEnvSource
    prefix: str
    secretRef: SecretEnvSource

class EnvVar(TypedDict, total=False):
    name: str
    value: str
    valueFrom: EnvVarSource

class EnvVarSource(TypedDict, total=False):
    configMapKeyRef: ConfigMapKeySelector
    fieldRef: ObjectFieldSelector
    fileKeyRef: FileKeySelector
    resourceFieldRef: ResourceFieldSelector
    secretKeyRef: SecretKeySelector

class EphemeralContainer(TypedDict, total=False):
    args: list[str]
    command: list[str]
    env: list[EnvVar]
    envFrom: list[EnvFromSource]
    image: str
    imagePullPolicy: str
    lifecycle: Lifecycle
    livenessProbe: Probe
    name: str
    ports: list[ContainerPort]
    readinessProbe: Probe
    resizePolicy: list[ContainerResizePolicy]
    resources: ResourceRequirements
    restartPolicy: str
    restartPolicyRules: list[ContainerRestartRule]
    securityContext: SecurityContext
    startupProbe: Probe
    stdin: bool
    stdinOnce: bool
    targetContainerName: str
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: list[VolumeDevice]
    volumeMounts: list[VolumeMount]
    workingDir: str

class EphemeralVolumeSource(TypedDict, total=False):
    volumeClaimTemplate: PersistentVolumeClaimTemplate

class ExecAction(TypedDict, total=False):
    command: list[str]

class FCVolumeSource(TypedDict, total=False):
    fsType: str
    lun: int
    readOnly: bool
    targetWWNs: list[str]
    wwids: list[str]

class FileKeySelector(TypedDict, total=False):
    key: str
    optional: bool
    path: str
    volumeName: str

class FlexVolumeSource(TypedDict, total=False):
    driver: str
    fsType: str
    options: dict[str, str]
    readOnly: bool
    secretRef: LocalObjectReference

class FlockerVolumeSource(TypedDict, total=False):
    datasetName: str
    datasetUUID: str

class GCEPersistentDiskVolumeSource(TypedDict, total=False):
    fsType: str
    partition: int
    pdName: str
    readOnly: bool

class GRPCAction(TypedDict, total=False):
    port: int
    service: str

class GitRepoVolumeSource(TypedDict, total=False):
    directory: str
    repository: str
    revision: str

class GlusterfsVolumeSource(TypedDict, total=False):
    endpoints: str
    path: str
    readOnly: bool

class HTTPGetAction(TypedDict, total=False):
    host: str
    httpHeaders: list[HTTPHeader]
    path: str
    port: Any
    scheme: str

class HTTPHeader(TypedDict, total=False):
    name: str
    value: str

class HostAlias(TypedDict, total=False):
    hostnames: list[str]
    ip: str

class HostIP(TypedDict, total=False):
    ip: str

class HostPathVolumeSource(TypedDict, total=False):
    path: str
    type: str

class ISCSIVolumeSource(TypedDict, total=False):
    chapAuthDiscovery: bool
    chapAuthSession: bool
    fsType: str
    initiatorName: str
    iqn: str
    iscsiInterface: str
    lun: int
    portals: list[str]
    readOnly: bool
    secretRef: LocalObjectReference
    targetPortal: str

class ImageVolumeSource(TypedDict, total=False):
    pullPolicy: str
    reference: str

class JobSpec(TypedDict, total=False):
    activeDeadlineSeconds: int
    backoffLimit: int
    backoffLimitPerIndex: int
    completionMode: str
    completions: int
    managedBy: str
    manualSelector: bool
    maxFailedIndexes: int
    parallelism: int
    podFailurePolicy: PodFailurePolicy
    podReplacementPolicy: str
    selector: LabelSelector
    successPolicy: SuccessPolicy
    suspend: bool
    template: PodTemplateSpec
    ttlSecondsAfterFinished: int

class KeyToPath(TypedDict, total=False):
    key: str
    mode: int
    path: str

class LabelSelector(TypedDict, total=False):
    matchExpressions: list[LabelSelectorRequirement]
    matchLabels: dict[str, str]

class LabelSelectorRequirement(TypedDict, total=False):
    key: str
    operator: str
    values: list[str]

class Lifecycle(TypedDict, total=False):
    postStart: LifecycleHandler
    preStop: LifecycleHandler
    stopSignal: str

class LifecycleHandler(TypedDict, total=False):
    exec: ExecAction
    httpGet: HTTPGetAction
    sleep: SleepAction
    tcpSocket: TCPSocketAction

class LinuxContainerUser(TypedDict, total=False):
    gid: int
    supplementalGroups: list[int]
    uid: int

class LoadBalancerIngress(TypedDict, total=False):
    hostname: str
    ip: str
    ipMode: str
    ports: list[PortStatus]

class LoadBalancerStatus(TypedDict, total=False):
    ingress: list[LoadBalancerIngress]

class LocalObjectReference(TypedDict, total=False):
    name: str

class ManagedFieldsEntry(TypedDict, total=False):
    apiVersion: str
    fieldsType: str
    fieldsV1: Any
    manager: str
    operation: str
    subresource: str
    time: str

class NFSVolumeSource(TypedDict, total=False):
    path: str
    readOnly: bool
    server: str

class Namespace(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: ObjectMeta
    spec: NamespaceSpec
    status: NamespaceStatus

class NamespaceCondition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    reason: str
    status: str
    type: str

class NamespaceSpec(TypedDict, total=False):
    finalizers: list[str]

class NamespaceStatus(TypedDict, total=False):
    conditions: list[NamespaceCondition]
    phase: str

class NodeAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredSchedulingTerm]
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector

class NodeSelector(TypedDict, total=False):
    nodeSelectorTerms: list[NodeSelectorTerm]

class NodeSelectorRequirement(TypedDict, total=False):
    key: str
    operator: str
    values: list[str]

class NodeSelectorTerm(TypedDict, total=False):
    matchExpressions: list[NodeSelectorRequirement]
    matchFields: list[NodeSelectorRequirement]

class ObjectFieldSelector(TypedDict, total=False):
    apiVersion: str
    fieldPath: str

class ObjectMeta(TypedDict, total=False):
    annotations: dict[str, str]
    creationTimestamp: str
    deletionGracePeriodSeconds: int
    deletionTimestamp: str
    finalizers: list[str]
    generateName: str
    generation: int
    labels: dict[str, str]
    managedFields: list[ManagedFieldsEntry]
    name: str
    namespace: str
    ownerReferences: list[OwnerReference]
    resourceVersion: str
    selfLink: str
    uid: str

class ObjectReference(TypedDict, total=False):
    apiVersion: str
    fieldPath: str
    kind: str
    name: str
    namespace: str
    resourceVersion: str
    uid: str

class OwnerReference(TypedDict, total=False):
    apiVersion: str
    blockOwnerDeletion: bool
    controller: bool
    kind: str
    name: str
    uid: str

class PersistentVolumeClaimSpec(TypedDict, total=False):
    accessModes: list[str]
    dataSource: TypedLocalObjectReference
    dataSourceRef: TypedObjectReference
    resources: VolumeResourceRequirements
    selector: LabelSelector
    storageClassName: str
    volumeAttributesClassName: str
    volumeMode: str
    volumeName: str

class PersistentVolumeClaimTemplate(TypedDict, total=False):
    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec

class PersistentVolumeClaimVolumeSource(TypedDict, total=False):
    claimName: str
    readOnly: bool

class PhotonPersistentDiskVolumeSource(TypedDict, total=False):
    fsType: str
    pdID: str

class Pod(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: ObjectMeta
    spec: PodSpec
    status: PodStatus

class PodAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm]

class PodAffinityTerm(TypedDict, total=False):
    labelSelector: LabelSelector
    matchLabelKeys: list[str]
    mismatchLabelKeys: list[str]
    namespaceSelector: LabelSelector
    namespaces: list[str]
    topologyKey: str

class PodAntiAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm]

class PodCertificateProjection(TypedDict, total=False):
    certificateChainPath: str
    credentialBundlePath: str
    keyPath: str
    keyType: str
    maxExpirationSeconds: int
    signerName: str
    userAnnotations: dict[str, str]

class PodCondition(TypedDict, total=False):
    lastProbeTime: str
    lastTransitionTime: str
    message: str
    observedGeneration: int
    reason: str
    status: str
    type: str

class PodDNSConfig(TypedDict, total=False):
    nameservers: list[str]
    options: list[PodDNSConfigOption]
    searches: list[str]

class PodDNSConfigOption(TypedDict, total=False):
    name: str
    value: str

class PodExtendedResourceClaimStatus(TypedDict, total=False):
    requestMappings: list[ContainerExtendedResourceRequest]
    resourceClaimName: str

class PodFailurePolicy(TypedDict, total=False):
    rules: list[PodFailurePolicyRule]

class PodFailurePolicyOnExitCodesRequirement(TypedDict, total=False):
    containerName: str
    operator: str
    values: list[int]

class PodFailurePolicyOnPodConditionsPattern(TypedDict, total=False):
    status: str
    type: str

class PodFailurePolicyRule(TypedDict, total=False):
    action: str
    onExitCodes: PodFailurePolicyOnExitCodesRequirement
    onPodConditions: list[PodFailurePolicyOnPodConditionsPattern]

class PodIP(TypedDict, total=False):
    ip: str

class PodOS(TypedDict, total=False):
    name: str

class PodReadinessGate(TypedDict, total=False):
    conditionType: str

class PodResourceClaim(TypedDict, total=False):
    name: str
    resourceClaimName: str
    resourceClaimTemplateName: str

class PodResourceClaimStatus(TypedDict, total=False):
    name: str
    resourceClaimName: str

class PodSchedulingGate(TypedDict, total=False):
    name: str

class PodSecurityContext(TypedDict, total=False):
    appArmorProfile: AppArmorProfile
    fsGroup: int
    fsGroupChangePolicy: str
    runAsGroup: int
    runAsNonRoot: bool
    runAsUser: int
    seLinuxChangePolicy: str
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    supplementalGroups: list[int]
    supplementalGroupsPolicy: str
    sysctls: list[Sysctl]
    windowsOptions: WindowsSecurityContextOptions

class PodSpec(TypedDict, total=False):
    activeDeadlineSeconds: int
    affinity: Affinity
    automountServiceAccountToken: bool
    containers: list[Container]
    dnsConfig: PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: list[EphemeralContainer]
    hostAliases: list[HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    hostnameOverride: str
    imagePullSecrets: list[LocalObjectReference]
    initContainers: list[Container]
    nodeName: str
    nodeSelector: dict[str, str]
    os: PodOS
    overhead: dict[str, str]
    preemptionPolicy: str
    priority: int
    priorityClassName: str
    readinessGates: list[PodReadinessGate]
    resourceClaims: list[PodResourceClaim]
    resources: ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    schedulingGates: list[PodSchedulingGate]
    securityContext: PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: int
    tolerations: list[Toleration]
    topologySpreadConstraints: list[TopologySpreadConstraint]
    volumes: list[Volume]
    workloadRef: WorkloadReference

class PodStatus(TypedDict, total=False):
    allocatedResources: dict[str, str]
    conditions: list[PodCondition]
    containerStatuses: list[ContainerStatus]
    ephemeralContainerStatuses: list[ContainerStatus]
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus
    hostIP: str
    hostIPs: list[HostIP]
    initContainerStatuses: list[ContainerStatus]
    message: str
    nominatedNodeName: str
    observedGeneration: int
    phase: str
    podIP: str
    podIPs: list[PodIP]
    qosClass: str
    reason: str
    resize: str
    resourceClaimStatuses: list[PodResourceClaimStatus]
    resources: ResourceRequirements
    startTime: str

class PodTemplateSpec(TypedDict, total=False):
    metadata: ObjectMeta
    spec: PodSpec

class PortStatus(TypedDict, total=False):
    error: str
    port: int
    protocol: str

class PortworxVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    volumeID: str

class PreferredSchedulingTerm(TypedDict, total=False):
    preference: NodeSelectorTerm
    weight: int

class Probe(TypedDict, total=False):
    exec: ExecAction
    failureThreshold: int
    grpc: GRPCAction
    httpGet: HTTPGetAction
    initialDelaySeconds: int
    periodSeconds: int
    successThreshold: int
    tcpSocket: TCPSocketAction
    terminationGracePeriodSeconds: int
    timeoutSeconds: int

class ProjectedVolumeSource(TypedDict, total=False):
    defaultMode: int
    sources: list[VolumeProjection]

class QuobyteVolumeSource(TypedDict, total=False):
    group: str
    readOnly: bool
    registry: str
    tenant: str
    user: str
    volume: str

class RBDVolumeSource(TypedDict, total=False):
    fsType: str
    image: str
    keyring: str
    monitors: list[str]
    pool: str
    readOnly: bool
    secretRef: LocalObjectReference
    user: str

class ResourceFieldSelector(TypedDict, total=False):
    containerName: str
    divisor: str
    resource: str

class ResourceHealth(TypedDict, total=False):
    health: str
    resourceID: str

class ResourceQuota(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: ObjectMeta
    spec: ResourceQuotaSpec
    status: ResourceQuotaStatus

class ResourceQuotaSpec(TypedDict, total=False):
    hard: dict[str, str | int]
    scopeSelector: ScopeSelector
    scopes: list[str]

class ResourceQuotaStatus(TypedDict, total=False):
    hard: dict[str, str | int]
    used: dict[str, str]

class ResourceRequirements(TypedDict, total=False):
    claims: list[CoreResourceClaim]
    limits: dict[str, str | int]
    requests: dict[str, str | int]

class ResourceStatus(TypedDict, total=False):
    name: str
    resources: list[ResourceHealth]

class SELinuxOptions(TypedDict, total=False):
    level: str
    role: str
    type: str
    user: str

class ScaleIOVolumeSource(TypedDict, total=False):
    fsType: str
    gateway: str
    protectionDomain: str
    readOnly: bool
    secretRef: LocalObjectReference
    sslEnabled: bool
    storageMode: str
    storagePool: str
    system: str
    volumeName: str

class ScopeSelector(TypedDict, total=False):
    matchExpressions: list[ScopedResourceSelectorRequirement]

class ScopedResourceSelectorRequirement(TypedDict, total=False):
    operator: str
    scopeName: str
    values: list[str]

class SeccompProfile(TypedDict, total=False):
    localhostProfile: str
    type: str

class SecretEnvSource(TypedDict, total=False):
    name: str
    optional: bool

class SecretKeySelector(TypedDict, total=False):
    key: str
    name: str
    optional: bool

class SecretProjection(TypedDict, total=False):
    items: list[KeyToPath]
    name: str
    optional: bool

class SecretVolumeSource(TypedDict, total=False):
    defaultMode: int
    items: list[KeyToPath]
    optional: bool
    secretName: str

class SecurityContext(TypedDict, total=False):
    allowPrivilegeEscalation: bool
    appArmorProfile: AppArmorProfile
    capabilities: Capabilities
    privileged: bool
    procMount: str
    readOnlyRootFilesystem: bool
    runAsGroup: int
    runAsNonRoot: bool
    runAsUser: int
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    windowsOptions: WindowsSecurityContextOptions

class Service(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: ObjectMeta
    spec: ServiceSpec
    status: ServiceStatus

class ServiceAccount(TypedDict, total=False):
    apiVersion: str
    automountServiceAccountToken: bool
    imagePullSecrets: list[LocalObjectReference]
    kind: str
    metadata: ObjectMeta
    secrets: list[ObjectReference]

class ServiceAccountTokenProjection(TypedDict, total=False):
    audience: str
    expirationSeconds: int
    path: str

class ServicePort(TypedDict, total=False):
    appProtocol: str
    name: str
    nodePort: int
    port: int
    protocol: str
    targetPort: Any

class ServiceSpec(TypedDict, total=False):
    allocateLoadBalancerNodePorts: bool
    clusterIP: str
    clusterIPs: list[str]
    externalIPs: list[str]
    externalName: str
    externalTrafficPolicy: str
    healthCheckNodePort: int
    internalTrafficPolicy: str
    ipFamilies: list[str]
    ipFamilyPolicy: str
    loadBalancerClass: str
    loadBalancerIP: str
    loadBalancerSourceRanges: list[str]
    ports: list[ServicePort]
    publishNotReadyAddresses: bool
    selector: dict[str, str]
    sessionAffinity: str
    sessionAffinityConfig: SessionAffinityConfig
    trafficDistribution: str
    type: str

class ServiceStatus(TypedDict, total=False):
    conditions: list[Condition]
    loadBalancer: LoadBalancerStatus

class SessionAffinityConfig(TypedDict, total=False):
    clientIP: ClientIPConfig

class SleepAction(TypedDict, total=False):
    seconds: int

class StorageOSVolumeSource(TypedDict, total=False):
    fsType: str
    readOnly: bool
    secretRef: LocalObjectReference
    volumeName: str
    volumeNamespace: str

class SuccessPolicy(TypedDict, total=False):
    rules: list[SuccessPolicyRule]

class SuccessPolicyRule(TypedDict, total=False):
    succeededCount: int
    succeededIndexes: str

class Sysctl(TypedDict, total=False):
    name: str
    value: str

class TCPSocketAction(TypedDict, total=False):
    host: str
    port: Any

class Toleration(TypedDict, total=False):
    effect: str
    key: str
    operator: str
    tolerationSeconds: int
    value: str

class TopologySpreadConstraint(TypedDict, total=False):
    labelSelector: LabelSelector
    matchLabelKeys: list[str]
    maxSkew: int
    minDomains: int
    nodeAffinityPolicy: str
    nodeTaintsPolicy: str
    topologyKey: str
    whenUnsatisfiable: str

class TypedLocalObjectReference(TypedDict, total=False):
    apiGroup: str
    kind: str
    name: str

class TypedObjectReference(TypedDict, total=False):
    apiGroup: str
    kind: str
    name: str
    namespace: str

class Volume(TypedDict, total=False):
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
    azureDisk: AzureDiskVolumeSource
    azureFile: AzureFileVolumeSource
    cephfs: CephFSVolumeSource
    cinder: CinderVolumeSource
    configMap: ConfigMapVolumeSource
    csi: CSIVolumeSource
    downwardAPI: DownwardAPIVolumeSource
    emptyDir: EmptyDirVolumeSource
    ephemeral: EphemeralVolumeSource
    fc: FCVolumeSource
    flexVolume: FlexVolumeSource
    flocker: FlockerVolumeSource
    gcePersistentDisk: GCEPersistentDiskVolumeSource
    gitRepo: GitRepoVolumeSource
    glusterfs: GlusterfsVolumeSource
    hostPath: HostPathVolumeSource
    image: ImageVolumeSource
    iscsi: ISCSIVolumeSource
    name: str
    nfs: NFSVolumeSource
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource
    photonPersistentDisk: PhotonPersistentDiskVolumeSource
    portworxVolume: PortworxVolumeSource
    projected: ProjectedVolumeSource
    quobyte: QuobyteVolumeSource
    rbd: RBDVolumeSource
    scaleIO: ScaleIOVolumeSource
    secret: SecretVolumeSource
    storageos: StorageOSVolumeSource
    vsphereVolume: VsphereVirtualDiskVolumeSource

class VolumeDevice(TypedDict, total=False):
    devicePath: str
    name: str

class VolumeMount(TypedDict, total=False):
    mountPath: str
    mountPropagation: str
    name: str
    readOnly: bool
    recursiveReadOnly: str
    subPath: str
    subPathExpr: str

class VolumeMountStatus(TypedDict, total=False):
    mountPath: str
    name: str
    readOnly: bool
    recursiveReadOnly: str

class VolumeProjection(TypedDict, total=False):
    clusterTrustBundle: ClusterTrustBundleProjection
    configMap: ConfigMapProjection
    downwardAPI: DownwardAPIProjection
    podCertificate: PodCertificateProjection
    secret: SecretProjection
    serviceAccountToken: ServiceAccountTokenProjection

class VolumeResourceRequirements(TypedDict, total=False):
    limits: dict[str, str | int]
    requests: dict[str, str | int]

class VsphereVirtualDiskVolumeSource(TypedDict, total=False):
    fsType: str
    storagePolicyID: str
    storagePolicyName: str
    volumePath: str

class WeightedPodAffinityTerm(TypedDict, total=False):
    podAffinityTerm: PodAffinityTerm
    weight: int

class WindowsSecurityContextOptions(TypedDict, total=False):
    gmsaCredentialSpec: str
    gmsaCredentialSpecName: str
    hostProcess: bool
    runAsUserName: str

class WorkloadReference(TypedDict, total=False):
    name: str
    podGroup: str
    podGroupReplicaKey: str
