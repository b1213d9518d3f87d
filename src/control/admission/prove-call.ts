import type { KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { pathOf } from '../../kubernetes/resource-type.ts';
import { trialAnnotation, trialAnswer } from './trial-annotation.ts';

/** Groups under which the kind may be defined; the first that is decides. */
const groups = ['networking.mesh.io', 'networking.istio.io'];
const version = 'v1beta1';
const deadlineMs = 10_000;

export interface Trial {
  /** In which the object would be created. */
  readonly namespace: string;
  /** Of the webhooks in the configuration. */
  readonly names: readonly string[];
  readonly revision: string;
  readonly signal: AbortSignal;
}

/**
 * Whether the API server asks a webhook of these names, and gets the answer of this revision: it is asked to create a
 * WorkloadGroup that the webhook refuses for its annotation, as a trial that stores nothing (`dryRun`). The webhook of another
 * revision, which may have the same name, proves nothing. Gives why not, else undefined.
 */
export async function proveCall(
  api: Pick<KubernetesApi, 'ask'>,
  { namespace, names, revision, signal }: Trial,
): Promise<string | undefined> {
  let reason = '';
  for (const group of groups) {
    const path = `${pathOf({ group, version, resource: 'workloadgroups' }, namespace)}?dryRun=All`;
    const body = {
      ...{ apiVersion: `${group}/${version}`, kind: 'WorkloadGroup', spec: { template: {} } },
      metadata: { name: 'trial-of-the-webhook', namespace, annotations: { [trialAnnotation]: revision } },
    };
    try {
      await api.ask({ method: 'POST', path, body, signal, deadlineMs });
      return 'the API server takes the object of a trial without asking the webhook';
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (
        names.some((name) => error.message.includes(`webhook "${name}" denied the request: ${trialAnswer(revision)}`))
      )
        return undefined;
      reason ||= error.message;
      if (!(error instanceof ApiRefusal) || error.status !== 404) return error.message;
    }
  }
  return reason;
}
