import type { ApiObject, ResourceType } from '../../kubernetes/resource-type.ts';
import { standardGroup } from '../../policy/gateway-api.ts';

const group = { group: 'admissionregistration.k8s.io', version: 'v1', isNamespaced: false };

export const mutatingConfigurations: ResourceType = {
  ...{ ...group, kind: 'MutatingWebhookConfiguration', resource: 'mutatingwebhookconfigurations' },
};

export const validatingConfigurations: ResourceType = {
  ...{ ...group, kind: 'ValidatingWebhookConfiguration', resource: 'validatingwebhookconfigurations' },
};

/** What is read of a webhook in its configuration. */
export interface ConfiguredWebhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: { readonly caBundle?: string };
  readonly rules?: readonly { readonly apiGroups?: readonly string[] }[];
}

export function webhooksOf({ webhooks }: ApiObject): readonly ConfiguredWebhook[] {
  return Array.isArray(webhooks) ? (webhooks as ConfiguredWebhook[]) : [];
}

/**
 * Whether a webhook only says what it thinks of an object: all that it is asked about are objects of the Gateway API, which
 * other programs serve too. Nobody is to wait for `meshd` there.
 */
export function isAdvisory({ rules = [] }: ConfiguredWebhook): boolean {
  const groups = rules.flatMap(({ apiGroups = [] }) => apiGroups);
  return groups.length > 0 && groups.every((group) => group === standardGroup);
}

/** What is wanted of the webhooks of a configuration. */
export interface WantedWebhooks {
  /** PEM; undefined: those that they have. */
  readonly roots: string | undefined;
  /** The webhooks that may refuse objects have the failure policy `Fail`. */
  readonly isProven: boolean;
}

/**
 * A strategic merge that makes the webhooks what is wanted, of this revision of the configuration alone; undefined where they
 * are so. An advisory webhook gets the failure policy `Ignore`. It creates nothing, and touches no rule, selector or address.
 */
export function patchOf(configuration: ApiObject, { roots, isProven }: WantedWebhooks): object | undefined {
  const caBundle = roots === undefined ? undefined : Buffer.from(roots).toString('base64');
  const webhooks = webhooksOf(configuration).flatMap((webhook) => {
    const hasRoots = caBundle === undefined || webhook.clientConfig?.caBundle === caBundle;
    const failurePolicy = isAdvisory(webhook) ? 'Ignore' : isProven ? 'Fail' : webhook.failurePolicy;
    const hasPolicy = webhook.failurePolicy === failurePolicy;
    if (hasRoots && hasPolicy) return [];
    return [
      {
        name: webhook.name,
        ...(!hasRoots && { clientConfig: { caBundle } }),
        ...(!hasPolicy && { failurePolicy }),
      },
    ];
  });
  if (webhooks.length === 0) return undefined;
  return { metadata: { resourceVersion: configuration.metadata.resourceVersion }, webhooks };
}
