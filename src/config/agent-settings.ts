import type { SettingOrigin } from './settings.ts';
import type { TokenPolicy } from './token-policy.ts';

/** Who signs the workload's certificate. */
export interface AuthoritySettings {
  /** CA_ADDR, `host:port`; undefined: no authority is named. */
  readonly address: string | undefined;
  /** CA_PROVIDER. */
  readonly provider: string;
  /** PILOT_CERT_PROVIDER: whose root the authority's own certificate is checked with. */
  readonly certificateProvider: string;
  /** NAMESPACE: where the authority runs. */
  readonly namespace: string;
  /** MESH_META_CLUSTER_ID, sent with each request. */
  readonly clusterId: string;
  /** JWT_POLICY. */
  readonly tokenPolicy: TokenPolicy;
  /** INITIAL_BACKOFF_MSEC: a request waits a random time up to this before its first attempt. */
  readonly initialBackoffMs: number;
}

/** How the workload's certificate is made and kept. */
export interface CertificateSettings {
  /** ECC_SIGNATURE_ALGORITHM: empty makes RSA 2048 keys, `ECDSA` P-256 keys. */
  readonly keyAlgorithm: 'RSA' | 'ECDSA';
  /** PKCS8_KEY. */
  readonly isPkcs8: boolean;
  /** SECRET_TTL. */
  readonly lifetimeMs: number;
  /** SECRET_GRACE_PERIOD_RATIO, 0 to 1: the share of the lifetime that is left when a certificate is renewed. */
  readonly graceRatio: number;
  /** SECRET_ROTATION_CHECK_INTERVAL: the longest time between two looks at the clock. */
  readonly checkIntervalMs: number;
  /** OUTPUT_CERTS. */
  readonly outputFolder: string | undefined;
  /** PROV_CERT. */
  readonly provisionedFolder: string | undefined;
}

/** How secrets are handed to Envoy. */
export interface SecretSettings {
  /** STALED_CONNECTION_RECYCLE_RUN_INTERVAL. */
  readonly staleCheckMs: number;
  /** ENABLE_INGRESS_GATEWAY_SDS. */
  readonly isGatewayEnabled: boolean;
  /** INGRESS_GATEWAY_NAMESPACE; undefined: the pod's namespace. */
  readonly gatewayNamespace: string | undefined;
  /** INGRESS_GATEWAY_FALLBACK_SECRET. */
  readonly fallbackSecret: string;
  /** SECRET_WATCHER_RESYNC_PERIOD; 0: never. */
  readonly resyncMs: number;
}

/** The cloud that STS and the token exchange speak to. */
export interface CloudSettings {
  /** CLOUD_METADATA, `project|number|cluster|zone`; undefined: not on that cloud. */
  readonly metadata: CloudMetadata | undefined;
  /** CLOUD_CLUSTER_URL. */
  readonly clusterUrl: string | undefined;
  /** PLUGINS. */
  readonly plugins: readonly string[];
  /** STS_LENIENT: without CLOUD_METADATA the token service answers with errors, and the agent starts. */
  readonly isLenient: boolean;
}

export interface CloudMetadata {
  readonly projectId: string;
  readonly projectNumber: string;
  readonly clusterName: string;
  readonly clusterZone: string;
}

/** How the proxy comes to its end, and whether it comes back. */
export interface LifeSettings {
  /** EXIT_ON_ZERO_ACTIVE_CONNECTIONS: the drain ends once no connection is open. */
  readonly endsDrainEarly: boolean;
  /** MINIMUM_DRAIN_DURATION: how long such a drain takes at least. */
  readonly minimumDrainMs: number;
  /** TERMINATION_GRACE_PERIOD_SECONDS: how long after SIGTERM the agent is killed; undefined: not known. */
  readonly terminationGraceMs: number | undefined;
  /** MESH_RESTART_POLICY: when an Envoy that ended by itself is started again. */
  readonly restartPolicy: 'never' | 'on-failure' | 'always';
  /** NOTIFY_SOCKET of systemd. */
  readonly notifySocket: string | undefined;
}

/** When a change of the inputs is compiled. */
export interface ReloadSettings {
  /** PILOT_DEBOUNCE_AFTER */
  readonly debounceMs: number;
  /** PILOT_DEBOUNCE_MAX */
  readonly debounceMaxMs: number;
}

/** Every variable that the agent alone reads, parsed once (specification, "Limits"). */
export interface AgentSettings {
  readonly podName: string;
  readonly podNamespace: string;
  /** SERVICE_ACCOUNT; undefined: as the token says, or the topology. */
  readonly serviceAccount: string | undefined;
  /** INSTANCE_IP; undefined when it is no single address. */
  readonly instanceIp: string | undefined;
  /** MESH_NAMESPACE: where the control plane runs. */
  readonly meshNamespace: string;
  readonly authority: AuthoritySettings;
  readonly certificates: CertificateSettings;
  readonly secrets: SecretSettings;
  readonly cloud: CloudSettings;
  readonly life: LifeSettings;
  readonly reload: ReloadSettings;
  /** PILOT_ENABLED_SERVICE_APIS: objects of the Gateway API are not skipped. */
  readonly readsGatewayApi: boolean;
  /** MESH_DISCOVERY_CACHE_MAX_AGE. */
  readonly discoveryCacheMaxAgeMs: number;
  /** DNS_AGENT: not empty serves DNS to the workload. */
  readonly dnsAgent: string;
  /** DNS_SERVER as `host:port` of a server that is asked over TLS (`tcp-tls:` taken off). */
  readonly dnsServer: string | undefined;
  /** MESH_CPU_LIMIT in processors; undefined: the container's own limit counts. */
  readonly cpuLimit: number | undefined;
  /** MESH_BOOTSTRAP. */
  readonly bootstrapTemplate: string | undefined;
  /** MESH_BOOTSTRAP_OVERRIDE. */
  readonly bootstrapOverride: string | undefined;
  /** MESH_APP_PROBERS, unparsed JSON. */
  readonly appProbers: string | undefined;
  /** MESH_METRICS_ANNOTATIONS, unparsed JSON; set but empty is not the same as absent. */
  readonly metricsAnnotations: string | undefined;
  /** REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION: the application's probes go to loopback, not to the pod's address. */
  readonly probesLocalhost: boolean;
  /** One entry a setting (`authority.address`): where its value came from. */
  readonly origins: Readonly<Record<string, SettingOrigin>>;
}
