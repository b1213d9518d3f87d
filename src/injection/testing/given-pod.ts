import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonObject } from '../../source/document.ts';
import { type Injection, inject } from '../inject.ts';
import type { PodObject, Texts } from '../pod.ts';
import { type InjectionInputs, type InjectionSettings, readInjectionSettings } from '../settings.ts';

/** Settings of the revision `default`; throws what is wrong with the mesh configuration. */
export function givenSettings(meshConfig = '', inputs: Partial<InjectionInputs> = {}): InjectionSettings {
  const bag = new DiagnosticBag();
  const file = { path: 'mesh.yaml', text: meshConfig };
  const given = { revision: 'default', ownNamespace: 'mesh-system', meshConfig: file, ...inputs };
  const settings = readInjectionSettings(given, bag);
  if (settings === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  return settings;
}

export interface GivenPod {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly spec?: JsonObject;
}

/** A pod `web` of the namespace `shop` with one container, and what `given` adds. */
export function givenPod({ labels = { app: 'web' }, annotations, spec }: GivenPod = {}): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', labels, ...(annotations && { annotations }) },
    spec: { containers: [{ name: 'web', image: 'shop-web:1.0.0' }], ...spec },
  };
}

/** Injects a pod of a namespace that asks for it. */
export function injectGiven(pod: PodObject, settings: InjectionSettings = givenSettings()): Injection {
  return inject({ pod, namespace: 'shop', namespaceLabels: { 'mesh-injection': 'enabled' } }, settings);
}

/** The injected pod; throws why there is none. */
export function injectedPod(pod: PodObject, settings?: InjectionSettings): PodObject {
  const injection = injectGiven(pod, settings);
  if (injection.kind === 'injected') return injection.pod;
  throw new Error(
    injection.kind === 'skipped' ? injection.reason : injection.diagnostics.map(({ message }) => message).join('\n'),
  );
}
