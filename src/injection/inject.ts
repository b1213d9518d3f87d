import { injectKey, templatesKey } from '../compiler/topology/injection.ts';
import { ownPorts } from '../config/proxy-ports.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { metricsPort, readinessPort } from '../lib/proxy-addresses.ts';
import { containerAlias } from '../policy/alias.ts';
import { checkAnnotations } from './annotations.ts';
import { checkPod } from './check-pod.ts';
import { resultFault } from './check-result.ts';
import { checkShape } from './check-shape.ts';
import { decide, type SkipReason, skipTexts } from './decide.ts';
import { withoutAddedLabels } from './labels.ts';
import { mergePod } from './merge.ts';
import { mergeMetrics } from './metrics.ts';
import { placeContainers } from './place.ts';
import { annotationsOf, type Container, containersOf, type InjectionTarget, labelsOf, type PodObject } from './pod.ts';
import { type PodSettings, podSettings } from './pod-settings.ts';
import { rewriteProbes } from './probes.ts';
import { renderTemplates } from './render.ts';
import type { InjectionSettings } from './settings.ts';
import { statusKey, withoutInjection, withStatus } from './status.ts';
import { templateNames } from './templates.ts';
import { viewOf } from './view.ts';

/** What becomes of a pod. */
export type Injection =
  | { readonly kind: 'injected'; readonly pod: PodObject; readonly warnings: readonly Diagnostic[] }
  /** The pod stays as it is. */
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly warnings: readonly Diagnostic[] }
  /** The pod must not be created: among the diagnostics is an error. */
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

/**
 * Adds the proxy to a pod that is to have one. Injecting an injected pod again gives the same pod, or the one that other
 * settings make of the original. What is given is not changed.
 */
export function inject(target: InjectionTarget, settings: InjectionSettings): Injection {
  const bag = new DiagnosticBag();
  for (const problem of checkShape(target.pod)) bag.report('uninjectable-pod', undefined, { problem });
  const original = bag.hasErrors ? undefined : withoutInjection(target.pod, bag);
  if (original === undefined) return { kind: 'refused', diagnostics: bag.all };
  const plain = { ...target, pod: original };
  const decision = decide(plain, settings);
  if (!decision.isInjected) {
    // Injection never added what this reason is found in: somebody wrote the annotation to get around the proxy.
    if (decide({ ...target, pod: withoutAddedLabels(target.pod, original) }, settings).isInjected) {
      const why = `without what it takes out, ${skipTexts[decision.reason]}`;
      bag.report('foreign-injection', undefined, { annotation: statusKey, why });
      return { kind: 'refused', diagnostics: bag.all };
    }
    if (decision.reason === 'opted-out') warnOfWord(plain, bag);
    return { kind: 'skipped', reason: decision.reason, warnings: bag.all };
  }
  const pod = injected(plain, settings, bag);
  return pod === undefined || bag.hasErrors
    ? { kind: 'refused', diagnostics: bag.all }
    : { kind: 'injected', pod, warnings: bag.all };
}

function injected(target: InjectionTarget, settings: InjectionSettings, bag: DiagnosticBag): PodObject | undefined {
  const original = target.pod;
  const labels = labelsOf(original);
  const allAnnotations = annotationsOf(original);
  const annotations = checkAnnotations(allAnnotations, bag, target.placeOf);
  if (bag.hasErrors) return undefined;
  const templates = templateNames(annotations[templatesKey]) ?? settings.defaultTemplates;
  const own = podSettings(original, annotations, templates, settings, bag);
  if (bag.hasErrors) return undefined;
  const reserved = reservedPorts(own);
  checkPod(original, own, reserved, bag);
  const ports = new Set(reserved.keys());
  const { statusPort } = own.mesh.proxy;
  const probes = own.rewritesProbes
    ? rewriteProbes(original, { statusPort, reservedPorts: ports, isNative: own.isNative, bag })
    : { pod: original, probers: {} };
  const metrics = own.mergesMetrics
    ? mergeMetrics(allAnnotations, statusPort, ports, bag)
    : { annotations: {}, ofApplication: undefined };
  const view = viewOf(target, { labels, annotations, pod: own, probers: probes.probers, metrics }, settings);
  const partial = bag.hasErrors ? undefined : renderTemplates(templates, view, settings.templates, bag);
  if (partial === undefined) return undefined;
  const ofPod = new Set(containersOf(original, 'containers').map(({ name }) => containerAlias(name)));
  const merged = mergePod(proxyAmongContainers(probes.pod), partial);
  const placed = placeContainers(merged, { isNative: own.isNative, holdsApplication: own.holdsApplication, ofPod });
  const fault = resultFault(placed, own);
  if (fault !== undefined) bag.report('injection-template', undefined, { name: templates.join(','), reason: fault });
  return withStatus(placed, original, { revision: settings.revision, templates });
}

/** A part of the proxy's container that stands among the init containers is merged with the whole one first. */
function proxyAmongContainers(pod: PodObject): PodObject {
  const isProxy = ({ name }: Container): boolean => containerAlias(name) === 'mesh-proxy';
  const inits = containersOf(pod, 'initContainers');
  if (!inits.some(isProxy)) return pod;
  const containers = [...containersOf(pod, 'containers'), ...inits.filter(isProxy)];
  return { ...pod, spec: { ...pod.spec, containers, initContainers: inits.filter((each) => !isProxy(each)) } };
}

function reservedPorts({ mesh }: PodSettings): ReadonlyMap<number, string> {
  return new Map([...ownPorts(mesh), [readinessPort, 'readiness'], [metricsPort, 'metrics']]);
}

function warnOfWord({ pod, placeOf }: InjectionTarget, bag: DiagnosticBag): void {
  for (const [field, texts] of [
    ['labels', labelsOf(pod)],
    ['annotations', annotationsOf(pod)],
  ] as const) {
    const value = texts[injectKey];
    if (value === undefined) continue;
    if (value !== 'false')
      bag.report('injection-word', placeOf?.(['metadata', field, injectKey]), { key: injectKey, value });
    return;
  }
}
