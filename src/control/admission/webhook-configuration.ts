import type { ApiObject, ResourceType } from '../../kubernetes/resource-type.ts';

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
}

export function webhooksOf({ webhooks }: ApiObject): readonly ConfiguredWebhook[] {
  return Array.isArray(webhooks) ? (webhooks as ConfiguredWebhook[]) : [];
}

/** What is wanted of every webhook of a configuration; what is undefined stays as it is. */
export interface WantedWebhooks {
  /** PEM. */
  readonly roots: string | undefined;
  readonly failurePolicy: 'Fail' | undefined;
}

/**
 * A strategic merge that makes the webhooks what is wanted, of this revision of the configuration alone; undefined where they
 * are so. It creates nothing, and touches no rule, selector or address.
 */
export function patchOf(configuration: ApiObject, { roots, failurePolicy }: WantedWebhooks): object | undefined {
  const caBundle = roots === undefined ? undefined : Buffer.from(roots).toString('base64');
  const webhooks = webhooksOf(configuration).flatMap((webhook) => {
    const hasRoots = caBundle === undefined || webhook.clientConfig?.caBundle === caBundle;
    const hasPolicy = failurePolicy === undefined || webhook.failurePolicy === failurePolicy;
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
