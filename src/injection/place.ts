import { type Container, containersOf, type PodObject } from './pod.ts';

/** Where the proxy's containers stand among the others. */
export interface Placing {
  /** The proxy is an init container that goes on running. */
  readonly isNative: boolean;
  /** The application's containers are started after the proxy is ready. */
  readonly holdsApplication: boolean;
  /** Containers of the pod itself, whatever their names. */
  readonly ofPod: ReadonlySet<string>;
}

/**
 * Brings the containers to the order in which they have to start. A native proxy comes with its redirection before all other
 * init containers, which then call through it. Before an ordinary proxy redirection comes last: until then init
 * containers have their network.
 */
export function placeContainers(pod: PodObject, { isNative, holdsApplication, ofPod }: Placing): PodObject {
  const isNamed = (wanted: string) => (container: Container) => container.name === wanted;
  const isOther = ({ name }: Container): boolean => name !== 'mesh-proxy' && name !== 'mesh-init';
  const inits = containersOf(pod, 'initContainers');
  const containers = containersOf(pod, 'containers');
  const redirection = inits.filter(isNamed('mesh-init'));
  const proxies = containers.filter(isNamed('mesh-proxy'));
  const others = containers.filter(isOther);
  const initContainers = isNative
    ? [...redirection, ...proxies.map(native), ...inits.filter(isOther)]
    : [...inits.filter(isOther), ...redirection];
  const { initContainers: before, ...spec } = pod.spec;
  return {
    ...pod,
    spec: {
      ...spec,
      containers: isNative ? others : placed(),
      ...(initContainers.length > 0 || before !== undefined ? { initContainers } : {}),
    },
  };

  function placed(): readonly Container[] {
    if (holdsApplication) return [...proxies, ...others];
    return ofPod.has('mesh-proxy') ? containers : [...others, ...proxies];
  }
}

/** It is started before the application anyway: nothing has to wait for it. */
function native(proxy: Container): Container {
  const { lifecycle, ...rest } = proxy;
  const { postStart, ...hooks } = (lifecycle ?? {}) as { readonly postStart?: never; readonly [hook: string]: never };
  return { ...rest, restartPolicy: 'Always', ...(Object.keys(hooks).length === 0 ? {} : { lifecycle: hooks }) };
}
