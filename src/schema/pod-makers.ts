/** Kinds whose pods have the labels of their template and no others that matter, by group: the input shows them all. */
const plainControllers: ReadonlySet<string> = new Set([
  '/ReplicationController',
  'apps/ReplicaSet',
  'apps.openshift.io/DeploymentConfig',
  'argoproj.io/Rollout',
  'batch/CronJob',
]);

/** Groups of which no object makes pods or services. */
const idleGroups: ReadonlySet<string> = new Set([
  '',
  'acme.cert-manager.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'audit.k8s.io',
  'autoscaling',
  'autoscaling.k8s.io',
  'batch',
  'bitnami.com',
  'cert-manager.io',
  'certificates.k8s.io',
  'cilium.io',
  'cloud.google.com',
  'config.gatekeeper.sh',
  'constraints.gatekeeper.sh',
  'coordination.k8s.io',
  'crd.projectcalico.org',
  'discovery.k8s.io',
  'elbv2.k8s.aws',
  'events.k8s.io',
  'extensions',
  'extensions.istio.io',
  'external-secrets.io',
  'flowcontrol.apiserver.k8s.io',
  'image.openshift.io',
  'kustomize.config.k8s.io',
  'kyverno.io',
  'metrics.k8s.io',
  'networking.gke.io',
  'networking.k8s.io',
  'node.k8s.io',
  'notification.toolkit.fluxcd.io',
  'policy',
  'projectcalico.org',
  'rbac.authorization.k8s.io',
  'route.openshift.io',
  'scheduling.k8s.io',
  'secrets-store.csi.x-k8s.io',
  'security.openshift.io',
  'snapshot.storage.k8s.io',
  'source.toolkit.fluxcd.io',
  'storage.k8s.io',
  'telemetry.istio.io',
  'templates.gatekeeper.sh',
]);

/** Kinds that make neither pods nor services, of groups of which others do. */
const idleKinds: ReadonlySet<string> = new Set([
  'argoproj.io/AnalysisTemplate',
  'argoproj.io/AppProject',
  'argoproj.io/ClusterAnalysisTemplate',
  'flagger.app/AlertProvider',
  'flagger.app/MetricTemplate',
  'gateway.networking.k8s.io/BackendTLSPolicy',
  'gateway.networking.k8s.io/GRPCRoute',
  'gateway.networking.k8s.io/GatewayClass',
  'gateway.networking.k8s.io/HTTPRoute',
  'gateway.networking.k8s.io/ReferenceGrant',
  'gateway.networking.k8s.io/TCPRoute',
  'gateway.networking.k8s.io/TLSRoute',
  'keda.sh/ScaledObject',
  'keda.sh/TriggerAuthentication',
  'monitoring.coreos.com/AlertmanagerConfig',
  'monitoring.coreos.com/PodMonitor',
  'monitoring.coreos.com/Probe',
  'monitoring.coreos.com/PrometheusRule',
  'monitoring.coreos.com/ScrapeConfig',
  'monitoring.coreos.com/ServiceMonitor',
]);

/** Whether objects of a kind that is not read may have pods or services made that their own text does not show; of an unknown kind they may. */
export function mayHavePodsMade(group: string, kind: string): boolean {
  const name = `${group}/${kind}`;
  return !idleGroups.has(group) && !idleKinds.has(name) && !plainControllers.has(name);
}
