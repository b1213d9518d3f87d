import { fault } from '../mutate/plant-fault.mjs';

/** Faults that somebody invented who did not know the generated requests; the comment names a request that each changes. */
export const faults = [
  // a route or rule whose header regex is [[:alpha:]]+ (or (?i)admin, \pL+): GET / with that header 'abc' matches in RE2, not in JavaScript
  fault(
    'model/string-match.ts',
    'return compiled.matches(text);',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    'return new RegExp(`^(?:${compiled.pattern()})$`).test(text);',
    "regular expressions by JavaScript's RegExp",
  ),
  // ALLOW rule with request.headers[x-name] values ["café"]: GET / with x-name: café in UTF-8 (bytes C3 A9) is allowed by Envoy, denied by the prediction
  fault('model/string-match.ts', ': byteText(value);', ': value;', 'wanted text compared as characters, not bytes'),
  // DENY paths [/admin] with normalization: GET /public/../admin is denied by Envoy
  fault('evaluate/receive.ts', 'path: normalized.path,', 'path: request.path,', 'rules and routes see the raw path'),
  // sidecar, DENY ipBlocks [10.1.2.3/32]: a client 10.9.9.9 sends x-forwarded-for: 10.1.2.3 (Envoy lets it pass), or 10.1.2.3 sends x-forwarded-for: 8.8.8.8 (Envoy denies)
  fault(
    'evaluate/conditions.ts',
    'return leaf.block.holds(view.direct);',
    'return leaf.block.holds(view.remote);',
    'ipBlocks judged by the remote address',
  ),
  // sidecar, remoteIpBlocks [2.2.2.2/32]: x-forwarded-for: 1.1.1.1, 2.2.2.2 is remote 2.2.2.2
  fault(
    'evaluate/remote-address.ts',
    'entries.at(-1 - hops)',
    'entries.at(hops)',
    'forwarded-for counted from the left',
  ),
  // a good token of the issuer with aud "other" at a provider with audiences ["mine"]: 403
  fault('evaluate/tokens.ts', 'status: reason === wrongAudience ? 403 : 401', 'status: 401', 'a wrong audience is 401'),
  // a token that ended skew + 30 seconds ago: Envoy says 401 alone, the prediction says 401 or passed
  fault(
    'evaluate/tokens.ts',
    'if (Math.abs(now - second) > 2) return',
    'if (Math.abs(now - second) > 60) return',
    'both outcomes for a whole minute around exp',
  ),
  // a token of the right issuer, signed by a stranger, with a kid that the key set lacks: 401 "Jwks doesn't have key to match kid or alg from Jwt"
  fault(
    'evaluate/tokens.ts',
    "return verdict === 'good' ? undefined : verdict;",
    "return verdict === 'Jwt verification fails' ? verdict : undefined;",
    'a token whose key is not in the set counts as verified',
  ),
  // authorization: "Token Bearer <expired token>": Envoy finds the prefix inside and answers 401, the prediction sees no token
  fault(
    'evaluate/find-tokens.ts',
    'if (at === -1) continue;',
    'if (at !== 0) continue;',
    'the prefix must begin the header value',
  ),
  // a denied POST with content-type: application/grpc-web: 403, not 200 with grpc-status 7
  fault('evaluate/answer.ts', '/^application\\/grpc(?:$|\\+)/', '/^application\\/grpc/', 'grpc-web is taken for gRPC'),
  // allow-nothing policy (spec: {}): any GET / is 403 rbac_access_denied_matched_policy[none]
  fault(
    'evaluate/access-rules.ts',
    "return { kind: action === 'ALLOW' ? 'denied' : 'passed', rule: undefined };",
    "return { kind: action === 'ALLOW' && rules.length > 0 ? 'denied' : 'passed', rule: undefined };",
    'an ALLOW filter without rules lets all pass',
  ),
  // DENY policies "deny" and "deny2" of one namespace that both match GET /: Envoy names deny2 (digit before bracket), the prediction deny; likewise rule[10] before rule[1]: the reason alone differs
  fault(
    'lift/rbac.ts',
    'rules.sort((a, b) => (a.name < b.name ? -1 : 1))',
    'rules.sort((a, b) => a.name.localeCompare(b.name))',
    'rules in the order of the language, not of bytes',
  ),
  // VirtualService match withoutHeaders x-debug exact "1": GET / without x-debug takes this route
  fault(
    'evaluate/conditions.ts',
    "return takesAbsentAsEmpty && match.matches('') !== isInverted;",
    "return takesAbsentAsEmpty && match.matches('');",
    'inversion forgotten where the header is absent',
  ),
  // PERMISSIVE sidecar, ALLOW principals ["*"]: a plaintext GET / is 403
  fault(
    'evaluate/conditions.ts',
    "return identities !== undefined && (match === 'any' || identities.some((uri) => match.matches(uri)));",
    "return match === 'any' || (identities?.some((uri) => match.matches(uri)) ?? false);",
    'any principal is met in plaintext',
  ),
  // HTTPS gateway for a.example.com alone: a TLS client with SNI other.test finds no chain and is closed
  fault(
    'evaluate/choose-chain.ts',
    'return chains.filter(({ match }) => match.serverNames.length === 0);',
    'return chains;',
    'no server name fits: all chains stay',
  ),
  // TLS gateway for *.example.com: SNI a.b.example.com takes its chain
  fault(
    'evaluate/choose-chain.ts',
    'return labels.slice(1).map(',
    'return labels.slice(1, 2).map(',
    'a wildcard server name covers one label',
  ),
  // a sidecar port of no declared protocol: plaintext HTTP/2 with prior knowledge takes the HTTP chain (application protocols http/1.1, h2c), not the TCP one
  fault('evaluate/choose-chain.ts', "return ['h2c'];", "return ['h2'];", 'plaintext HTTP/2 is seen as h2'),
  // ipBlocks [10.1.16.0/20], client 10.1.17.5: inside
  fault(
    'model/address-block.ts',
    'const mask = (0xff << (8 - rest)) & 0xff;',
    'const mask = 0xff >> (8 - rest);',
    'the mask takes the low bits of the last byte',
  ),
  // MERGE_SLASHES, DENY paths [/a/b]: GET /a//../b is /a/b (merged first it would be /b); also /x/\b
  fault(
    'model/normalize-path.ts',
    '  if (normalizes) {\n    const canonical = canonicalPath(path);\n    if (canonical === undefined) return bad;\n    path = canonical;\n  }\n  if (mergesSlashes) path = mergeSlashes(path);',
    '  if (mergesSlashes) path = mergeSlashes(path);\n  if (normalizes) {\n    const canonical = canonicalPath(path);\n    if (canonical === undefined) return bad;\n    path = canonical;\n  }',
    'slashes are merged before dot segments go',
  ),
  // gateway with hosts *.example.com and *.b.example.com: Host a.b.example.com takes the second
  fault(
    'evaluate/find-route.ts',
    '.sort((a, b) => b.domain.length - a.domain.length)',
    '.sort((a, b) => a.domain.length - b.domain.length)',
    'the shortest wildcard domain wins',
  ),
  // VirtualService redirect without redirectCode: 301
  fault(
    'lift/route-action.ts',
    "redirectStatuses[redirect.text('response_code')] ?? 301",
    "redirectStatuses[redirect.text('response_code')] ?? 302",
    'a redirect without a code is 302',
  ),
  // route prefix /old rewritten to /new: GET /old/x?y=1 goes on as /new/x?y=1
  fault(
    'evaluate/send-on.ts',
    'return byteText(rewrite.to) + bare.slice(matched) + query;',
    'return byteText(rewrite.to) + bare.slice(matched);',
    'a prefix rewrite drops the query',
  ),
  // route with corsPolicy: OPTIONS / with an allowed origin but without access-control-request-method reaches the application
  fault(
    'evaluate/cors.ts',
    "view.text('origin') !== '' && view.text('access-control-request-method') !== ''",
    "view.text('origin') !== ''",
    'every OPTIONS with an origin is a preflight',
  ),
  // gateway in mode MUTUAL with a CA of its own: a client with a certificate of the mesh is refused
  fault(
    'evaluate/handshake.ts',
    "tls.root === 'mesh' && (tls.identities.length === 0 ||",
    '(tls.identities.length === 0 ||',
    "the mesh's certificate is trusted by a foreign root",
  ),
  // a proxy with one rule that is answered 401, and another DENY rule (paths [/admin]): GET /admin with all that the first wants is 403
  fault(
    'evaluate/manage.ts',
    'manager.unauthorized.includes(details) ? 401 : 403',
    'manager.unauthorized.length > 0 ? 401 : 403',
    'every denial is 401 where one is',
  ),
  // a sidecar with a Lua or Wasm filter from a template: any GET / is unmodelled
  fault(
    'evaluate/manage.ts',
    "if (filter.gap !== undefined) return { kind: 'unmodelled', at: filter.gap };",
    'if (filter.gap !== undefined) return undefined;',
    'a filter that is not understood is passed by',
  ),
  // PERMISSIVE sidecar, plaintext GET / with x-forwarded-client-cert: URI=spiffe://x: the application (and header rules) must not see it
  fault(
    'evaluate/receive.ts',
    '  headers.delete(name);\n  view.setOpaque(name, false);\n  if (!isSet) return;',
    '  if (!isSet) return;\n  headers.delete(name);\n  view.setOpaque(name, false);',
    'a forged x-forwarded-client-cert goes on',
  ),
  // HTTP/1.1 "get / HTTP/1.1": 400 http1.codec_error
  fault(
    'evaluate/check-wire.ts',
    '!knownMethods.has(method)',
    '!knownMethods.has(method.toUpperCase())',
    'methods in small letters are accepted',
  ),
  // TLS inspector disabled for 3306 (3306 to 3307): a TLS connection to port 3307 is seen as TLS and takes the chain for it
  fault(
    'lift/listener.ts',
    "(range.number('end') ?? from) - from }",
    "(range.number('end') ?? from) - from + 1 }",
    "the end of an inspector's disabled ports counts in",
  ),
  // ALLOW paths [/api/{**}]: GET /api/[x] is not matched by Envoy (brackets are no template characters): 403
  // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
  fault('model/uri-template.ts', 'return `(?:${segmentCharacter}|/)*`;', "return '.*';", '** takes any character'),
];
