import type { Fragment } from '../../envoy/api/fragment.ts';
import type { Message } from './message.ts';

/** Whose tokens are taken, where they stand, and what is left of them. */
export interface TokenProvider {
  readonly name: string;
  /** Empty: of any issuer. */
  readonly issuer: string;
  /** Empty: for any audience. */
  readonly audiences: readonly string[];
  /** JSON Web Key Set. */
  readonly keySet: string;
  readonly headers: readonly { readonly name: string; readonly prefix: string }[];
  readonly params: readonly string[];
  readonly cookies: readonly string[];
  /** Keys of the filter's metadata for claims and header; empty: they are not left. */
  readonly payloadKey: string;
  readonly headerKey: string;
  /** Claims whose text is a list of words. */
  readonly spaceDelimited: readonly string[];
  readonly clockSkewSeconds: number;
  /** Whether the token itself goes on to the application. */
  readonly forwards: boolean;
  /** Header that gets the claims as they stand in the token. */
  readonly payloadHeader: { readonly name: string; readonly isPadded: boolean } | undefined;
  readonly claimHeaders: readonly { readonly name: string; readonly claim: string }[];
}

/** The token filter: a request passes without a token, or with one that one of the providers takes. */
export interface TokenFilter {
  readonly providers: readonly TokenProvider[];
  readonly passesPreflights: boolean;
  readonly at: Fragment;
  readonly gap: string | undefined;
}

const jwt = 'envoy.extensions.filters.http.jwt_authn.v3';

/** Envoy's `JwtAuthentication` in the shape that the compiler writes: any of all providers, or no token. */
export function liftTokenFilter(message: Message): TokenFilter {
  const providers = new Map(
    message.entries('providers', `${jwt}.JwtProvider`).map(([name, provider]) => [name, liftProvider(name, provider)]),
  );
  const names = requiredNames(message);
  if (names.length !== providers.size || names.some((name) => !providers.has(name))) message.refuse('rules');
  return {
    providers: names.flatMap((name) => providers.get(name) ?? []),
    passesPreflights: message.flag('bypass_cors_preflight'),
    at: message.fragment,
    gap: message.gaps.first,
  };
}

/** Providers in the order of the only rule, which holds for every path and lets requests without token pass. */
function requiredNames(message: Message): readonly string[] {
  const [rule, ...others] = message.messages('rules', `${jwt}.RequirementRule`);
  if (rule === undefined || others.length > 0) {
    message.refuse('rules');
    return [];
  }
  const match = rule.message('match', 'envoy.config.route.v3.RouteMatch');
  if (match.text('prefix') !== '/') match.refuse('prefix');
  const any = rule
    .message('requires', `${jwt}.JwtRequirement`)
    .message('requires_any', `${jwt}.JwtRequirementOrList`)
    .messages('requirements', `${jwt}.JwtRequirement`);
  if (!any.at(-1)?.has('allow_missing')) rule.refuse('requires');
  return any.slice(0, -1).map((requirement) => requirement.text('provider_name'));
}

function liftProvider(name: string, provider: Message): TokenProvider {
  const headers = provider
    .messages('from_headers', `${jwt}.JwtHeader`)
    .map((header) => ({ name: header.text('name').toLowerCase(), prefix: header.text('value_prefix') }));
  const params = provider.texts('from_params');
  const cookies = provider.texts('from_cookies');
  const isDefault = headers.length + params.length + cookies.length === 0;
  const normalize = provider.message('normalize_payload_in_metadata', `${jwt}.JwtProvider.NormalizePayload`);
  return {
    name,
    issuer: provider.text('issuer'),
    audiences: provider.texts('audiences'),
    keySet: provider.message('local_jwks', 'envoy.config.core.v3.DataSource').text('inline_string'),
    headers: isDefault ? [{ name: 'authorization', prefix: 'Bearer ' }] : headers,
    params: isDefault ? ['access_token'] : params,
    cookies,
    payloadKey: provider.text('payload_in_metadata'),
    headerKey: provider.text('header_in_metadata'),
    spaceDelimited: normalize.texts('space_delimited_claims'),
    // 0 and absent both mean Envoy's default.
    clockSkewSeconds: provider.number('clock_skew_seconds') || 60,
    forwards: provider.flag('forward'),
    payloadHeader: provider.has('forward_payload_header')
      ? {
          name: provider.text('forward_payload_header').toLowerCase(),
          isPadded: provider.flag('pad_forward_payload_header'),
        }
      : undefined,
    claimHeaders: provider.messages('claim_to_headers', `${jwt}.JwtClaimToHeader`).map((header) => ({
      name: header.text('header_name').toLowerCase(),
      claim: header.text('claim_name'),
    })),
  };
}
