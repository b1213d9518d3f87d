import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { formatPath } from '../diagnostics/json-path.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { lookup } from '../lib/lookup.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { isMeshSetting } from './mesh-config.ts';
import { isProxySetting } from './proxy-config.ts';

/** What holds in the place of a setting that concerns security and is accepted without effect. */
export const securityConsequences: Readonly<Record<string, string>> = {
  authPolicy: 'PeerAuthentications set the mode of mutual TLS; without one it is PERMISSIVE',
  caCertificatesPem: 'these roots are not trusted; peers are verified with the root certificate of the mesh',
  certificates: 'these certificates are not issued',
  controlPlaneAuthPolicy: "the address of the CA decides whether the agent's requests to it are encrypted",
  disablePolicyChecks: 'there are no such checks; AuthorizationPolicies alone decide about access',
  discoverySelectors: 'the objects of all namespaces in the inputs are used',
  enableClientSidePolicyCheck: 'there are no such checks; AuthorizationPolicies alone decide about access',
  mixerCheckServer: 'no server is asked; AuthorizationPolicies alone decide about access',
  policyCheckFailOpen: 'there are no such checks; AuthorizationPolicies alone decide about access',
  privateKeyProvider: "the private key stays in the agent's and in Envoy's memory",
  proxyHeaders: 'the proxy adds and removes the same headers as without the setting, including X-Forwarded-Client-Cert',
  runtimeValues: "Envoy's runtime guards keep their default values",
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
  const ofVariables = isMesh ? unusedVariables(value.defaultConfig, ['defaultConfig']) : unusedVariables(value);
  const unused = [...own, ...ofDefault, ...ofVariables, ...unusedParts(value)];
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

/** Variables of a ProxyConfig that name node metadata as Istio does: here their names begin with `MESH_META_`. */
export function unusedVariables(config: JsonValue | undefined, root: JsonPath = []): readonly JsonPath[] {
  const { proxyMetadata } = (config ?? {}) as JsonObject;
  const names = Object.keys((proxyMetadata ?? {}) as JsonObject);
  return names.filter((name) => /^ISTIO_META(JSON)?_/.test(name)).map((name) => [...root, 'proxyMetadata', name]);
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
