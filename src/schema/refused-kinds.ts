import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { lookup } from '../lib/lookup.ts';
import { nearest } from '../lib/nearest.ts';
import { experimentalGroup, standardGroup } from '../policy/gateway-api.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { kindsOf } from './kinds.ts';

/** What to write instead of a kind of the mesh's groups that is not read, by kind. */
const replacements: Readonly<Record<string, (spec: JsonObject) => string>> = {
  EnvoyFilter: templatesOf,
};

/** Kinds of the mesh's groups that are refused by name. */
export function refusedKinds(): readonly string[] {
  return Object.keys(replacements);
}

/** Refuses a kind of the mesh's groups that says something about traffic and is not read; false for other kinds. */
export function refuseUnreadKind(kind: string, group: string, document: PolicyDocument, bag: DiagnosticBag): boolean {
  if (!Object.hasOwn(replacements, kind)) return false;
  const hint = `${replacements[kind]?.(objectAt(document.value, 'spec'))}; or leave out the file with --exclude or .meshpolignore`;
  bag.report('unsupported-kind-of-group', document.spanOf(['kind']), { kind, group }, { hint });
  return true;
}

/** The template that makes what a patch of an EnvoyFilter changes, by the patch's `applyTo`. */
export const templateOfPatch: Readonly<Record<string, string>> = {
  BOOTSTRAP: 'bootstrap.json.hbs',
  CLUSTER: 'clusters.json.hbs',
  EXTENSION_CONFIG: 'partials/http-connection-manager.hbs',
  FILTER_CHAIN: 'partials/filter-chain.hbs',
  HTTP_FILTER: 'partials/http-connection-manager.hbs',
  HTTP_ROUTE: 'partials/route.hbs',
  LISTENER: 'listeners.json.hbs',
  LISTENER_FILTER: 'partials/listener-filter.hbs',
  NETWORK_FILTER: 'partials/filter-chain.hbs',
  ROUTE_CONFIGURATION: 'routes.json.hbs',
  VIRTUAL_HOST: 'routes.json.hbs',
};

function templatesOf({ configPatches }: JsonObject): string {
  const patches: readonly JsonValue[] = Array.isArray(configPatches) ? configPatches : [];
  const named = patches.flatMap((patch) => {
    const applyTo = isObject(patch) ? patch.applyTo : undefined;
    const template = typeof applyTo === 'string' && Object.hasOwn(templateOfPatch, applyTo) && templateOfPatch[applyTo];
    return template ? [`${template} for ${applyTo}`] : [];
  });
  const files = [...new Set(named)].sort().join(', ') || 'a file with the name of the built-in template';
  return `write your own version of the template in a folder that --templateFile names: ${files}`;
}

type Dispatch = (document: PolicyDocument, group: string, bag: DiagnosticBag) => 'foreign' | 'refused';

/** Objects of Istio's other groups that say something about traffic, by group and kind, or by group alone. */
const neighbours: Readonly<Record<string, Dispatch>> = {
  // Kinds of this group that are read are not asked about here.
  [standardGroup]: refuseStandardKind,
  [experimentalGroup]: refuseStandardKind,
  'authentication.istio.io': refuse('write it as a PeerAuthentication and a RequestAuthentication'),
  'extensions.istio.io/WasmPlugin': dispatchPlugin,
  'rbac.istio.io/ClusterRbacConfig': refuse(
    'it has access checked where no rule allows it: write an AuthorizationPolicy with "spec: {}", which lets nobody in, in each namespace that it includes',
  ),
  'rbac.istio.io': refuse('write its rules as AuthorizationPolicies'),
  'telemetry.istio.io/Telemetry': (document, _, bag) =>
    warn(document, 'logs, metrics and traces follow the mesh configuration alone', bag),
};

/** True for kinds that `dispatchNeighbour` speaks of. */
export function isNeighbour(group: string, kind: string): boolean {
  return (
    Object.hasOwn(neighbours, group) || Object.hasOwn(neighbours, `${group}/${kind}`) || isAccessOfOthers(group, kind)
  );
}

/** Groups of other products whose objects are known not to be meant for the mesh. */
const groupsWithAccess: ReadonlySet<string> = new Set(['policy.linkerd.io']);

/** Access rules of a group that nobody here knows: their author may believe that they are in force. */
function isAccessOfOthers(group: string, kind: string): boolean {
  return kind === 'AuthorizationPolicy' && !groupsWithAccess.has(group);
}

/** Warns of an object that has no effect here, and refuses one that decides who gets in. */
export function dispatchNeighbour(group: string, document: PolicyDocument, bag: DiagnosticBag): 'foreign' | 'refused' {
  const dispatch = lookup(neighbours, `${group}/${document.value.kind}`) ?? lookup(neighbours, group);
  if (dispatch !== undefined) return dispatch(document, group, bag);
  return warn(document, `access rules of the mesh are of security.mesh.io or security.istio.io, not of ${group}`, bag);
}

function refuse(replacement: string): Dispatch {
  return (document, group, bag) => {
    const hint = `${replacement}; or leave out the file with --exclude or .meshpolignore`;
    const span = document.spanOf(['kind']);
    bag.report('unsupported-kind-of-group', span, { kind: String(document.value.kind), group }, { hint });
    return 'refused';
  };
}

/** Kinds of the Gateway API that are not read, some of which differ from one that is by a few letters. */
const unreadStandardKinds: ReadonlySet<string> = new Set([
  'BackendTLSPolicy',
  'ListenerSet',
  'TCPRoute',
  'UDPRoute',
  'XBackendTrafficPolicy',
  'XListenerSet',
  'XMesh',
]);

function refuseStandardKind(document: PolicyDocument, group: string, bag: DiagnosticBag): 'foreign' | 'refused' {
  const kind = String(document.value.kind);
  const meant = unreadStandardKinds.has(kind) ? undefined : nearest(kind, kindsOf(standardGroup));
  if (meant === undefined) return refuse(replacementOf(kind))(document, group, bag);
  const hint = `did you mean "${meant}"?`;
  bag.report('unsupported-kind-of-group', document.spanOf(['kind']), { kind, group }, { hint });
  return 'refused';
}

function replacementOf(kind: string): string {
  return lookup(standardReplacements, kind) ?? 'write it as a VirtualService or a Gateway of networking.mesh.io';
}

const ofDestination = 'write it as a DestinationRule of networking.mesh.io for the host of the Service';
const ofListeners = 'write its listeners into the Gateway';
const standardReplacements: Readonly<Record<string, string>> = {
  BackendTLSPolicy: `${ofDestination}, with "trafficPolicy.tls": mode SIMPLE, "sni", "subjectAltNames" and "caCertificates"`,
  ListenerSet: ofListeners,
  UDPRoute: 'proxies carry no UDP: let clients reach the Service of the backend itself, as one of type LoadBalancer',
  XBackendTrafficPolicy: ofDestination,
  XListenerSet: ofListeners,
};

/** Phases of a plug-in in which it changes or counts requests that were let in. */
const harmlessPhases: ReadonlySet<JsonValue | undefined> = new Set([undefined, '', 'STATS', 'UNSPECIFIED_PHASE']);

function dispatchPlugin(document: PolicyDocument, _: string, bag: DiagnosticBag): 'foreign' | 'refused' {
  const { phase } = objectAt(document.value, 'spec');
  if (harmlessPhases.has(phase)) return warn(document, 'no plug-in is run', bag);
  bag.report('unsupported-plugin', document.spanOf(['spec', 'phase']), {
    name: nameOf(document),
    phase: String(phase),
  });
  return 'refused';
}

function warn(document: PolicyDocument, why: string, bag: DiagnosticBag): 'foreign' {
  const { kind } = document.value;
  bag.report('kind-without-effect', document.spanOf(['kind']), { kind: String(kind), name: nameOf(document), why });
  return 'foreign';
}

function nameOf({ value }: PolicyDocument): string {
  const { namespace, name } = objectAt(value, 'metadata');
  return namespace === undefined ? String(name) : `${namespace}/${name}`;
}

function objectAt(value: JsonObject, field: string): JsonObject {
  const found = value[field];
  return isObject(found) ? found : {};
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
