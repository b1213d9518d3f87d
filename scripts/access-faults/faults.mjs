import { fault } from '../mutate/plant-fault.mjs';

/**
 * Faults that a model of Envoy easily has: where they stand below src/access, what to replace, and what goes wrong. Each text
 * stands once in its file.
 */
export const faults = [
  // Regular expressions of JavaScript in place of RE2, or of a part of the text.
  fault(
    'model/string-match.ts',
    'compiled.matches(text)',
    'compiled.matcher(text).find()',
    'a regular expression finds a part',
  ),
  fault('model/uri-template.ts', "'**') return `(?:", "'**') return `.*(?:", 'two stars take any character'),
  // Letters in place of bytes.
  fault('evaluate/check-wire.ts', '[!-~\\x7f]*', '[!-~\\x7f-\\xff]*', 'a path may have bytes above 0x7F'),
  fault('model/bytes.ts', 'letters.toLowerCase()', 'letters', 'case counts where it should not'),
  // Rules that see the raw request.
  fault('evaluate/receive.ts', 'path: normalized.path', 'path: request.path', 'rules see the raw path'),
  fault('evaluate/request-view.ts', 'splitQuery(this.path)[0]', 'this.path', 'rules see the query'),
  fault('evaluate/receive.ts', 'stripAuthority(authority, manager)', 'authority', 'the port of the host stays'),
  fault(
    'model/normalize-path.ts',
    'mergesSlashes) path = mergeSlashes(path)',
    'mergesSlashes) path = path',
    'slashes are not merged',
  ),
  fault(
    'model/normalize-path.ts',
    'else if (relative.isUp) out = parentOf(out)',
    'else if (relative.isUp) out += ""',
    'two dots lead nowhere',
  ),
  // Direct and remote address.
  fault(
    'evaluate/conditions.ts',
    'leaf.block.holds(view.direct)',
    'leaf.block.holds(view.remote)',
    'the direct address is the remote one',
  ),
  fault(
    'evaluate/conditions.ts',
    'leaf.block.holds(view.remote)',
    'leaf.block.holds(view.direct)',
    'the remote address is the direct one',
  ),
  fault(
    'evaluate/remote-address.ts',
    'entries.at(-1 - hops)',
    'entries.at(hops)',
    'the first forwarded address counts',
  ),
  // Tokens.
  fault(
    'evaluate/tokens.ts',
    "return verdict === 'good' ? undefined : verdict",
    'return undefined',
    'signatures do not count',
  ),
  fault('evaluate/tokens.ts', 'reason === wrongAudience ? 403 : 401', '401', 'a wrong audience is 401'),
  fault(
    'evaluate/tokens.ts',
    'found.length === 0) continue',
    'found.length === 0) return undefined',
    'the second provider is not asked',
  ),
  fault(
    'evaluate/find-tokens.ts',
    'if (at === -1) continue',
    'if (at !== 0) continue',
    'a prefix must stand at the beginning',
  ),
  fault('evaluate/tokens.ts', '.toReversed()', '', 'tokens are verified in the order of the request'),
  fault('evaluate/tokens.ts', "text.split(' ')", '[text]', 'scopes are not taken apart'),
  // gRPC.
  fault('evaluate/answer.ts', 'status: 200, grpcStatus', 'grpcStatus', 'a denial of gRPC keeps its status'),
  fault('evaluate/answer.ts', '403: 7', '403: 13', 'a denial of gRPC has another status'),
  // Reasons, and the order of rules and filters.
  fault('evaluate/access-rules.ts', "rule?.name ?? 'none'", "'none'", 'the reason names no rule'),
  fault('lift/rbac.ts', 'a.name < b.name ? -1 : 1', 'a.name < b.name ? 1 : -1', 'rules are tried in the wrong order'),
  fault(
    'evaluate/access-rules.ts',
    "action === 'ALLOW' ? 'denied' : 'passed', rule: undefined",
    "action === 'ALLOW' && rules.length > 0 ? 'denied' : 'passed', rule: undefined",
    'ALLOW without rules lets all pass',
  ),
  fault(
    'evaluate/conditions.ts',
    'lines.length === 0) return takesAbsentAsEmpty && ',
    'lines.length === 0) return isInverted || ',
    'an absent header meets an inverted condition',
  ),
  fault(
    'evaluate/conditions.ts',
    'lines.some((line) => match.matches(line))',
    "match.matches(lines.join(','))",
    'lines of a header are joined',
  ),
  // Chains and routes.
  fault('evaluate/choose-chain.ts', "seesTls ? 'tls' : 'raw_buffer'", "'tls'", 'plaintext takes chains of TLS'),
  fault(
    'evaluate/choose-chain.ts',
    '...parentsOf(name)',
    '...parentsOf(name).slice(1)',
    'the nearest wildcard of a server name is not tried',
  ),
  fault('evaluate/handshake.ts', "tls.root === 'mesh' &&", '', 'certificates of any authority are accepted'),
  fault(
    'evaluate/find-route.ts',
    'sort((a, b) => b.domain.length - a.domain.length)',
    'sort((a, b) => a.domain.length - b.domain.length)',
    'the shortest wildcard wins',
  ),
  fault(
    'evaluate/send-on.ts',
    'const matched = match.kind === ',
    'const matched = match.kind !== ',
    'a rewrite replaces another part of the path',
  ),
  fault(
    'evaluate/send-on.ts',
    'changes : changes.reverse()',
    'changes.reverse() : changes',
    'headers are changed in the wrong order',
  ),
  fault('evaluate/cors.ts', "view.method === 'OPTIONS' && view.text", 'view.text', 'any request is a preflight'),
  fault(
    'lift/route-filters.ts',
    "return part >= whole ? 'all' : 'some'",
    "return 'some'",
    'a fault of all requests is one of some',
  ),
  fault(
    'evaluate/manage.ts',
    "answered(404, 'route_not_found')",
    "answered(403, 'route_not_found')",
    'a missing route is 403',
  ),
  // Headers.
  fault('evaluate/receive.ts', "protocol === 'h2' ||", "protocol !== 'bytes' ||", 'blanks around values stay'),
  fault(
    'evaluate/receive.ts',
    'return isOneLine(name) ? withCommas',
    "return isOneLine(name) && name !== 'x-forwarded-for' ? withCommas",
    'lines of forwarded addresses stay apart',
  ),
  fault(
    'evaluate/receive.ts',
    '|| (usesRemoteAddress && trustedHops === 0)',
    '',
    'what a client says of its protocol is believed',
  ),
  fault(
    'evaluate/receive.ts',
    "if (usesRemoteAddress && headers.isTold('x-forwarded-for')) {",
    "if (!usesRemoteAddress && headers.isTold('x-forwarded-for')) {",
    'sidecars tell the address, gateways do not',
  ),
  fault('evaluate/send-on.ts', 'for (const name of removed) view.headers.delete(name);', '', 'no header is removed'),
  fault(
    'evaluate/send-on.ts',
    "if (action === 'append') headers.add(name, text);\n  else ",
    '',
    'a header that is added replaces others',
  ),
  fault('evaluate/tokens.ts', 'headers.delete(name);\n    view', 'view', 'a client may write headers of claims'),
  // Tokens, again.
  fault('evaluate/tokens.ts', "if (issuer !== '' && issuer !== iss) return unknownIssuer;", '', 'issuers do not count'),
  fault('evaluate/tokens.ts', "typeof exp === 'number' && exp > 0 &&", 'false &&', 'tokens do not expire'),
  fault(
    'evaluate/tokens.ts',
    '[headerKey]: header',
    '[headerKey]: {}',
    'what a token says must be understood is passed over',
  ),
  fault(
    'evaluate/tokens.ts',
    "if (!provider.forwards && 'place' in one) this.#remove(one);",
    '',
    'tokens go on to the application',
  ),
  fault('evaluate/tokens.ts', 'known.length === 0 ? refusals : known', 'refusals', 'the last provider has the reason'),
  fault(
    'evaluate/receive.ts',
    'return isOneLine(name) ? withCommas',
    "return isOneLine(name) && name !== 'authorization' ? withCommas",
    'each line of Authorization has a token',
  ),
  fault(
    'evaluate/find-tokens.ts',
    'const [text] = queryValues(request.path, name, { unescapes: true });',
    'const text = queryValues(request.path, name, { unescapes: true }).at(-1);',
    'the last parameter has the token',
  ),
  fault(
    'evaluate/manage.ts',
    'manager.unauthorized.includes(details) ? 401 : 403',
    '403',
    'a token that is not understood is 403',
  ),
  fault(
    'evaluate/conditions.ts',
    'Array.isArray(value) && value.some(',
    'Array.isArray(value) && value.every(',
    'all members of a claim must match',
  ),
  fault(
    'evaluate/conditions.ts',
    "typeof value === 'string' && match.match.matches(value)",
    'match.match.matches(String(value))',
    'numbers are texts',
  ),
  // Routes, again.
  fault(
    'evaluate/find-route.ts',
    'const authority = lowerCase(view.authority);',
    'const { authority } = view;',
    'hosts have a case',
  ),
  fault(
    'evaluate/find-route.ts',
    'if (exact !== undefined) return exact;',
    '',
    'a wildcard comes before the name itself',
  ),
  fault(
    'evaluate/find-route.ts',
    'const [value] = queryValues(view.path, name, { unescapes: false });',
    'const value = queryValues(view.path, name, { unescapes: false }).at(-1);',
    'the last value of a parameter counts',
  ),
  fault('evaluate/send-on.ts', 'bare.slice(matched) + query', 'bare.slice(matched)', 'a rewrite loses the query'),
  fault('evaluate/send-on.ts', 'while (matcher.find()) {', 'if (matcher.find()) {', 'one place is rewritten'),
  fault('evaluate/cors.ts', 'policy.forwardsOthers && !isAllowed', '!isAllowed', 'preflights of other origins go on'),
  fault('evaluate/answer.ts', '(?:$|\\+)', '', 'other types are gRPC too'),
  // Authorities, addresses and texts.
  fault('model/authority.ts', '/^\\d+$/.test(', '/^.+$/.test(', 'what follows a colon is a port'),
  fault('model/authority.ts', "next === undefined || next === ':'", 'next === undefined', 'a dot before a port stays'),
  fault('model/address-block.ts', '(0xff << (8 - rest)) & 0xff', '0xff', 'blocks end at bytes'),
  fault('model/string-match.ts', 'text.endsWith(wanted)', 'text.includes(wanted)', 'an end may be anywhere'),
  fault('model/normalize-path.ts', "if (code === '00') return undefined;", '', 'a path may have an escaped NUL'),
  fault('model/normalize-path.ts', '/%2f/gi', '/%2f/g', 'escapes of slashes have a case'),
  // Connections.
  fault(
    'evaluate/handshake.ts',
    'return tls.requiresCertificate ? closedWith(',
    'return false ? closedWith(',
    'a certificate is not required',
  ),
  fault(
    'evaluate/handshake.ts',
    'tls.identities.length === 0 || ',
    'true || ',
    'clients of all trust domains are accepted',
  ),
  fault('evaluate/check-wire.ts', '!knownMethods.has(method) || ', '', 'the codec knows all methods'),
  // Rules that are found by what a request has.
  fault(
    'evaluate/rule-index.ts',
    'for (const key of own ?? [])',
    'for (const key of own?.slice(0, 1) ?? [])',
    'of several texts of a rule the first alone finds it',
  ),
  fault(
    'evaluate/rule-index.ts',
    'if (own === undefined) this.#others.push(placed);',
    'if (own === undefined) this.#others.slice();',
    'rules that no text finds are left out',
  ),
  fault(
    'evaluate/rule-index.ts',
    'found = merged(found, shelf.rulesFor(view));',
    'found = shelf.rulesFor(view);',
    'only the rules of the last way to read a request are tried',
  ),
  fault('evaluate/rule-index.ts', 'else if (known.at(-1) !== placed) known.push(placed);', '', 'a text finds one rule'),
  fault(
    'evaluate/rule-index.ts',
    'left.place <= right.place',
    'left.place > right.place',
    'rules that were found are tried in the wrong order',
  ),
  fault(
    'evaluate/rule-index.ts',
    'for (const text of texts) found',
    'for (const text of texts.slice(0, 1)) found',
    'the first line of a header alone finds rules',
  ),
  fault(
    'evaluate/rule-key.ts',
    'whole.slice(0, text.length)',
    'whole.slice(0, text.length - 1)',
    'a beginning is looked for among shorter ones',
  ),
  fault(
    'evaluate/rule-key.ts',
    '(bytes[whole] ?? 0) >> (8 - rest)',
    'bytes[whole] ?? 0',
    'a block that ends within a byte has one address there',
  ),
];
