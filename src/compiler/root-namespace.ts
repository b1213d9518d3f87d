import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import { isDnsLabel } from '../schema/names.ts';
import { writtenApiVersion } from '../schema/resolve-aliases.ts';
import { nameOf } from './topology/object-name.ts';

const ours = 'mesh-system';
const theirs = 'istio-system';

/** Kinds whose place decides: what they say without a selector in the root namespace holds for the whole mesh. */
const decidingKinds: ReadonlySet<string> = new Set([
  'PeerAuthentication',
  'RequestAuthentication',
  'AuthorizationPolicy',
  'Sidecar',
]);

/**
 * The root namespace that the objects decide on; undefined while none of them does. It is `mesh-system`, or, where
 * policies of Istio's group stand in its root namespace `istio-system`, that one. Policies in both are an error,
 * and so is a decision other than the one `before`. A root namespace that a setting names is no matter of the objects.
 */
export function decideRootNamespace(
  objects: readonly MeshObject<string>[],
  settings: Settings,
  bag: DiagnosticBag,
  before?: string,
): string | undefined {
  if (isRootNamed(settings)) return undefined;
  const deciding = objects.filter(({ kind }) => decidingKinds.has(kind));
  const inOurs = deciding.find(({ namespace }) => namespace === ours);
  const inTheirs = deciding.find((object) => object.namespace === theirs && isOfOriginal(object));
  if (inOurs !== undefined && inTheirs !== undefined) reportBoth(inOurs, inTheirs, bag);
  const decisive = inTheirs ?? inOurs;
  if (before === undefined || decisive === undefined || decisive.namespace === before) {
    return decisive?.namespace ?? before;
  }
  if (inOurs === undefined || inTheirs === undefined) {
    const { kind, namespace } = decisive;
    const holes = { kind, name: nameOf(decisive), namespace, before };
    bag.report('root-namespace-changed', placeOf(decisive), holes);
  }
  return before;
}

/**
 * The root namespace that a part of a mesh tells of when nothing in it decides: an object of Istio's group in
 * `istio-system` is one of a mesh whose root that is, though without a policy there it makes no difference to the others.
 */
export function presumeRootNamespace(objects: readonly MeshObject<string>[], settings: Settings): string {
  const isTheirs = !isRootNamed(settings) && objects.some((it) => it.namespace === theirs && isOfOriginal(it));
  return isTheirs ? theirs : settings.rootNamespace;
}

/** The root namespace that is in force, and what made it that. */
export interface RootNamespace {
  readonly name: string;
  /** Settings or objects have said it; a later object may not change it. */
  readonly isDecided: boolean;
  readonly why: string;
}

/** Tells why `decided` (undefined: nothing) is what the objects decided on. */
export function explainRootNamespace(
  objects: readonly MeshObject<string>[],
  settings: Settings,
  decided: string | undefined,
): RootNamespace {
  const { rootNamespace, origins } = settings;
  if (isRootNamed(settings)) {
    return { name: rootNamespace, isDecided: true, why: `named by ${origins.rootNamespace?.detail ?? 'a setting'}` };
  }
  if (decided === undefined) {
    return { name: ours, isDecided: false, why: `the default; no policy stands in ${ours} or ${theirs} yet` };
  }
  const decisive = objects.find(({ kind, namespace }) => namespace === decided && decidingKinds.has(kind));
  const gone = 'a policy stood there when the agent decided';
  return {
    name: decided,
    isDecided: true,
    why: decisive === undefined ? gone : `${decisive.kind} ${nameOf(decisive)} stands there`,
  };
}

/**
 * Whether a policy whose text states the namespace `stated` may hold in the namespace `own`: as its own, as the root, or
 * because no namespace is called so, and nobody knows which one is meant. An empty text states `default`, as in Kubernetes.
 */
export function mayHoldIn(own: string, stated: string, settings: Settings): boolean {
  const namespace = stated || 'default';
  return namespace === own || !isDnsLabel(namespace) || mayBeRoot(namespace, settings);
}

/** By the settings, or by what objects decide. */
function mayBeRoot(namespace: string, settings: Settings): boolean {
  if (namespace === settings.rootNamespace) return true;
  return !isRootNamed(settings) && (namespace === ours || namespace === theirs);
}

function isRootNamed({ rootNamespace, origins }: Settings): boolean {
  return rootNamespace !== ours || origins.rootNamespace !== undefined;
}

function isOfOriginal({ document }: MeshObject<string>): boolean {
  return /^(security|networking)\.istio\.io\//.test(writtenApiVersion(document));
}

function reportBoth(inOurs: MeshObject<string>, inTheirs: MeshObject<string>, bag: DiagnosticBag): void {
  bag.report(
    'two-root-namespaces',
    placeOf(inTheirs),
    { first: `${inOurs.kind} "${nameOf(inOurs)}"`, second: `${inTheirs.kind} "${nameOf(inTheirs)}"` },
    { related: [{ message: 'the other one', span: placeOf(inOurs) }] },
  );
}

function placeOf({ document }: MeshObject<string>) {
  return document.spanOf(['metadata', 'namespace']);
}
