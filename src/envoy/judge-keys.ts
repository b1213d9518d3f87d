import type { Validation } from './validate.ts';

/** Why Envoy does not take a JSON Web Key Set, in its own words; undefined when it does. */
export type JudgeKeys = (keySet: string) => Promise<string | undefined>;

/** Envoy was ended, by its deadline or from outside, before it had an opinion. */
const isUnanswered = /did not answer in time|aborted \(SIG(KILL|TERM)\)/;

/** Enough for every issuer of a mesh, its former keys included. */
const mostRemembered = 1_000;

/**
 * Lets the real Envoy read key sets before they stand in a configuration, where one that it refuses would stop every other
 * change. What it takes is remembered. An Envoy that cannot be asked refuses nothing: it judges the configuration anyway.
 */
export function createKeyJudge(validate: (config: object) => Promise<Pick<Validation, 'ok' | 'message'>>): JudgeKeys {
  const taken = new Set<string>();
  return async (keySet) => {
    if (taken.has(keySet)) return undefined;
    const { ok, message } = await validate(configWith(keySet)).catch(() => ({ ok: true, message: '' }));
    if (!ok) return isUnanswered.test(message) ? undefined : message;
    if (taken.size >= mostRemembered) taken.clear();
    taken.add(keySet);
    return undefined;
  };
}

const type = (name: string): string => `type.googleapis.com/envoy.extensions.filters.${name}`;

/** One listener that checks tokens with these keys, and does nothing else. */
function configWith(keySet: string): object {
  const tokens = { providers: { keys: { local_jwks: { inline_string: keySet } } } };
  const manager = {
    '@type': type('network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'keys',
    route_config: { name: 'none' },
    http_filters: [
      { name: 'tokens', typed_config: { '@type': type('http.jwt_authn.v3.JwtAuthentication'), ...tokens } },
      { name: 'router', typed_config: { '@type': type('http.router.v3.Router') } },
    ],
  };
  const listener = {
    name: 'keys',
    address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
    filter_chains: [{ filters: [{ name: 'manager', typed_config: manager }] }],
  };
  return { static_resources: { listeners: [listener] } };
}
