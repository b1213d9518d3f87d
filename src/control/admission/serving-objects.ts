import type { KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { type ApiObject, pathOf, type ResourceType, withQuery } from '../../kubernetes/resource-type.ts';
import type { NamedGateway, ServingNames, ServingObjects } from '../../live/others-objects.ts';
import type { NamedClass } from '../../policy/gateway-controllers.ts';
import { standardKind } from '../registry/cluster/kinds.ts';

/** Of each request; the API server waits for the webhook meanwhile. */
const deadlineMs = 1_000;
/** More than a route may name. */
const mostGateways = 32;

/** The Gateways of these names that a cluster has, and the classes of these names and of those Gateways; `unknown`: it does not say. */
export async function servingObjectsOf(
  api: Pick<KubernetesApi, 'ask'>,
  { classes, gateways }: ServingNames,
): Promise<ServingObjects | 'unknown'> {
  try {
    const asked = gateways.slice(0, mostGateways).map(({ namespace, name }) => find(api, 'Gateway', name, namespace));
    const found = (await Promise.all(asked)).flat().map(gatewayOf);
    const named = new Set([...classes, ...found.map(({ spec }) => spec.gatewayClassName)]);
    const sought = [...named].map((name) => find(api, 'GatewayClass', name, undefined));
    return { gateways: found, classes: (await Promise.all(sought)).flat().map(classOf) };
  } catch (error) {
    if (error instanceof KubernetesError) return 'unknown';
    throw error;
  }
}

/** The object, or nothing. A list by its name needs no other right than meshd has to follow the kind. */
async function find(
  api: Pick<KubernetesApi, 'ask'>,
  kind: 'Gateway' | 'GatewayClass',
  name: string,
  namespace: string | undefined,
): Promise<readonly ApiObject[]> {
  const { type, versions = [] } = standardKind(kind);
  const query = new URLSearchParams({ fieldSelector: `metadata.name=${name}` });
  for (const version of versions) {
    try {
      const path = withQuery(pathOf({ ...type, version } satisfies ResourceType, namespace), query);
      const { items } = await api.ask<{ readonly items?: readonly ApiObject[] | null }>({ path, deadlineMs });
      return items ?? [];
    } catch (error) {
      const isUnserved = error instanceof ApiRefusal && error.status === 404;
      if (!isUnserved) throw error;
    }
  }
  return [];
}

function gatewayOf({ metadata: { namespace = '', name }, spec }: ApiObject): NamedGateway {
  const { gatewayClassName } = (spec ?? {}) as { readonly gatewayClassName?: unknown };
  return { namespace, name, spec: { gatewayClassName: String(gatewayClassName) } };
}

function classOf({ metadata: { name }, spec }: ApiObject): NamedClass {
  const { controllerName } = (spec ?? {}) as { readonly controllerName?: unknown };
  return { name, spec: { controllerName: String(controllerName) } };
}
