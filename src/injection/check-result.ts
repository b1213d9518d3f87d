import { checkShape } from './check-shape.ts';
import { containersOf, type PodObject } from './pod.ts';
import type { PodSettings } from './pod-settings.ts';

/**
 * What is wrong with an injected pod, whatever a later template says: if what the templates `sidecar` and `gateway` add were
 * gone, nobody would hold the pod to its policies, and on its node's network it would redirect that of the node. Undefined:
 * nothing.
 */
export function resultFault(
  pod: PodObject,
  { templates, redirects }: Pick<PodSettings, 'templates' | 'redirects'>,
): string | undefined {
  const [problem] = checkShape(pod);
  if (problem !== undefined) return problem;
  const inits = containersOf(pod, 'initContainers');
  const hasProxy = [...inits, ...containersOf(pod, 'containers')].some(({ name }) => name === 'mesh-proxy');
  const hasRedirection = inits.some(({ name }) => name === 'mesh-init');
  if (pod.spec.hostNetwork === true && (hasProxy || hasRedirection)) return "it puts the pod on its node's network";
  const isOfSidecar = templates.includes('sidecar');
  if (!hasProxy && (isOfSidecar || templates.includes('gateway')))
    return 'it leaves no container "mesh-proxy"; write it in "containers" of the template, from where injection moves it if it is native';
  if (hasRedirection || !isOfSidecar || !redirects) return undefined;
  return 'it leaves no init container "mesh-init", which redirects traffic to the proxy; if something else does, set "redirection: false" in "injection" of the mesh configuration';
}
