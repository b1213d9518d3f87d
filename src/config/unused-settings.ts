import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { formatPath } from '../diagnostics/json-path.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { lookup } from '../lib/lookup.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { isMeshSetting } from './mesh-config.ts';
import { isProxySetting } from './proxy-config.ts';

/** What holds in the place of a setting that concerns security and is accepted without effect. */
export const securityConsequences: Readonly<Record<string, string>> = {
  authPolicy: 'mutual TLS is what PeerAuthentications say, PERMISSIVE where there is none',
  caCertificatesPem: 'these roots are not trusted; peers are verified with the root certificate of the mesh',
  certificates: 'nobody issues these certificates',
  controlPlaneAuthPolicy: "the address of the authority decides whether the agent's requests are encrypted",
  disablePolicyChecks: 'no such checks exist; access is what AuthorizationPolicies say',
  discoverySelectors: 'objects of every namespace of the inputs count',
  enableClientSidePolicyCheck: 'no such checks exist; access is what AuthorizationPolicies say',
  mixerCheckServer: 'nobody is asked; access is what AuthorizationPolicies say',
  policyCheckFailOpen: 'no such checks exist; access is what AuthorizationPolicies say',
  privateKeyProvider: "the private key stays in the agent's and in Envoy's memory",
  proxyHeaders: 'headers that the proxy adds or removes, X-Forwarded-Client-Cert among them, stay as they are',
  runtimeValues: "Envoy's own guards stay as they are, whatever was to be switched",
  sds: 'certificates come from the agent, over its own socket',
};

/** Kinds of providers that policies of access can name. */
const authorizers = ['envoyExtAuthzHttp', 'envoyExtAuthzGrpc'];

/**
 * Reports the settings of a mesh or proxy configuration that are accepted without effect: one line for all of them, and a
 * line of its own for each that concerns security.
 */
export function reportUnusedSettings(
  document: PolicyDocument,
  kind: 'MeshConfig' | 'ProxyConfig',
  bag: DiagnosticBag,
): void {
  const { value } = document;
  const isMesh = kind === 'MeshConfig';
  const own = unusedFields(value, [], isMesh ? isMeshSetting : isProxySetting);
  const ofDefault = isMesh
    ? unusedFields((value.defaultConfig ?? {}) as JsonObject, ['defaultConfig'], isProxySetting)
    : [];
  const unused = [...own, ...ofDefault, ...unusedParts(value)];
  const plain: JsonPath[] = [];
  for (const path of unused) {
    const consequence = lookup(securityConsequences, String(path.at(-1)));
    if (consequence === undefined) plain.push(path);
    else {
      const holes = { field: formatPath(path), consequence };
      bag.report('security-setting-without-effect', document.spanOf(path, 'key'), holes);
    }
  }
  const [first] = plain;
  if (first === undefined) return;
  const fields = plain.map((path) => `"${formatPath(path)}"`).join(', ');
  bag.report('settings-without-effect', document.spanOf(first, 'key'), { kind, fields });
}

function unusedFields(value: JsonObject, root: JsonPath, isUsed: (field: string) => boolean): JsonPath[] {
  return Object.entries(value).flatMap(([field, it]) => (it === null || isUsed(field) ? [] : [[...root, field]]));
}

/** Parts of used settings: providers of which only the name is known, and what no source of files needs. */
function unusedParts({ extensionProviders, configSources }: JsonObject): JsonPath[] {
  const ofProviders = entriesOf(extensionProviders).flatMap((provider, i) =>
    unusedFields(provider, ['extensionProviders', i], (field) => field === 'name' || authorizers.includes(field)),
  );
  const ofSources = entriesOf(configSources).flatMap((source, i) =>
    unusedFields(source, ['configSources', i], (field) => field === 'address'),
  );
  return [...ofProviders, ...ofSources];
}

function entriesOf(value: JsonValue | undefined): readonly JsonObject[] {
  return (value ?? []) as readonly JsonObject[];
}
