import type { Attack, AttackGroup } from '../../e2e/attack/attack.ts';
import { allowGroup, allowHostsGroup, attackGroups } from '../../e2e/attack/corpus.ts';
import { tlsAttacks } from '../../e2e/attack/tls-attacks.ts';
import { attackedAudience, tokenAttacks } from '../../e2e/attack/token-attacks.ts';
import { readRequest } from '../../src/testbed/reading.ts';
import type { HeaderLine } from '../../src/testbed/wire/http1.ts';
import { code, table } from './markdown.ts';

const introduction = `The tables below list hostile requests and what a real Envoy with compiled policies does with them. Each request is sent byte for byte, in four ways: through a sidecar and through a gateway, and each time against a DENY rule and against the same condition negated in an ALLOW rule. The outcome is the same in all four, unless a row says otherwise. A request should not reach the application if the application could read it as what the rule protects.

\`e2e/attack/attack.e2e.ts\` sends all of them again and compares the outcomes with this page. It also sends them through a sidecar of the attacker; there, too, none passes the rule.

The tables show only the parts of a request that differ from \`GET /free\` with the host \`server\`. \`\\xNN\` is a single byte, and – is an empty value. The first columns of each table are what the client sent; the last two are the outcomes for HTTP/1.1 and HTTP/2.

| outcome | meaning |
|---|---|
| \`403\` | denied by the policy |
| \`400\`, \`404\`, \`421\`, \`426\`, \`501\` | refused by Envoy, because the request itself is invalid or not supported |
| \`422\` | reached the application, which could not parse it |
| *reset* | Envoy reset the stream; the connection stays open |
| \`200\` and a value | reached the application, which read this value of the attacked part of the request (path, header, host or method); –: it read none |
| **own equivalence** | reached the application with a value that some applications treat as the protected one: those that ignore a trailing slash, \`;\` parameters, or case. A proxy can't know that; \`meshpol lint\` reports such rules (\`other-spellings-of-path\`) |
| – | can't be sent in this version of HTTP |

Requests of three kinds are ambiguous, and are treated as hostile:

- **Ambiguous paths and authorities at gateways.** A gateway refuses every request whose path still contains \`/..;\` or \`/.;\` after normalization, or whose authority is neither empty nor canonical, whatever the policies. Otherwise access rules, the sidecar behind the gateway or the application could read another path or host than the gateway's routes do.
- **Ambiguous paths at sidecars.** Such a path matches every path of a DENY rule, and no path of an ALLOW rule except \`*\`.
- **Ambiguous hosts.** A rule that allows hosts matches canonical authorities only. An authority is canonical if it is a name of letters, digits, \`-\` and \`_\` between single dots, or an IPv6 address in brackets, with or without a numeric port. (Before, Envoy removes one trailing dot, and at gateways also one port: there \`server.foo:80:80\` becomes \`server.foo:80\`.)

The test application reads requests as the standards require: it decodes once, and resolves dot segments and empty segments. A proxy can't protect an application that decodes twice or accepts overlong UTF-8 as ASCII, which RFC 3629 (section 3) forbids.

**Not covered:** a host name in a ServiceEntry that resolves to 127.0.0.1 makes a gateway connect to a program in its own pod. (The proxy's own ports are refused, and so are addresses that are written as loopback.) Envoy connects to every address that DNS returns, and has no setting to prevent it. So run no other program in gateway pods, and let only trusted people write ServiceEntries that gateways see (\`exportTo\`).`;

/** What Envoy did with each request of the attack corpus. */
export function attacksPage(): string {
  const sections = [...attackGroups, allowGroup, allowHostsGroup].map(
    (group) => `## ${group.about}\n\n${groupTable(group)}`,
  );
  return `# Attacks\n\nWritten by \`make docs\` from \`e2e/attack\`. ${introduction}\n\n${[...sections, tlsSection(), tokenSection()].join('\n\n')}\n`;
}

/** Servers that share a port, and requests that come over a connection to another one. */
function tlsSection(): string {
  const about =
    'A gateway port has servers for `*.example.com`, `own.example.com`, `guarded.example.com` (which asks for client ' +
    'certificates) and `raw.example.com` (mode PASSTHROUGH). The client certificate is good (of the CA that the server trusts), ' +
    'foreign (of another CA) or none. *closed*: the handshake failed. `421`: the host belongs to another server.';
  const outcome = (seen: string | undefined): string =>
    seen === undefined ? '–' : /^\d/.test(seen) ? seen : `*${seen}*`;
  const rows = tlsAttacks.map((attack) => [
    attack.sni === '' ? 'none' : code(attack.sni),
    attack.client ?? 'none',
    sentText(attack),
    outcome(attack.http1),
    outcome(attack.http2),
  ]);
  const head = ['server name (SNI)', 'client certificate', 'sent', 'HTTP/1.1', 'HTTP/2'];
  return `## A host of another TLS server\n\n${about}\n\n${table(head, rows)}`;
}

/** Tokens that an issuer signed and that Envoy's filter accepts though stricter verifiers do not. */
function tokenSection(): string {
  const about =
    `A rule has the issuer's keys and \`audiences: [${attackedAudience}]\`. Each token below is signed with the issuer's ` +
    'key. So these attacks are possible only if an issuer signs headers or claims that others choose.\n\n' +
    "Envoy's JWT filter ignores `crit`, `b64`, `typ` and an `exp` of 0. It compares audiences without `http://` or `https://` " +
    'and without one trailing slash. An access rule behind that filter refuses a verified token if it has `crit` or `b64`, an ' +
    '`exp` from 0 to below 1 (in seconds), or none of the audiences exactly as written in the rule. Checking `typ` is left to the ' +
    'application. If an issuer signs tokens without `exp`, they are valid as long as its keys. ' +
    '`src/compiler/lower/authentication/tokens.e2e.ts` repeats these requests on a real Envoy.\n\n' +
    "**Two tokens in one request.** A request may carry two tokens for one rule, in two of the rule's locations, although " +
    'RFC 6750 (section 2) forbids it. Envoy verifies both. Only one of them reaches the access rules; with the default ' +
    'locations it is the one in the header. Claims that are copied into headers (`outputClaimToHeaders`, ' +
    '`outputPayloadToHeader`) come from both, as two values of one header. So an application must treat such a header with ' +
    'two values as absent, or the rule must have one location only. The same holds for a token header that occurs twice. Of ' +
    'a query parameter or cookie that occurs twice, Envoy verifies the first only. Envoy removes tokens from headers and ' +
    'query before it forwards a request (unless `forwardOriginalToken` is set), but not from cookies. So an application must ' +
    'treat a token cookie that occurs twice as absent.';
  const rows = tokenAttacks.map(({ about: has, status, strict }) => [has, String(status), strict]);
  return `## A token that its issuer signed\n\n${about}\n\n${table(['token', 'answer of Envoy', 'what the standards require'], rows)}`;
}

function groupTable(group: AttackGroup): string {
  const outcome = (seen: string | undefined): string => {
    if (seen === undefined) return '–';
    if (!seen.startsWith('200 ')) return seen === 'reset' ? '*reset*' : seen;
    const shown = seen.slice('200 '.length);
    const isEquivalent = group.kinship(readRequest('GET', shown, '', [])) === 'equivalent';
    return `200 ${code(visible(shown))}${isEquivalent ? ' **own equivalence**' : ''}`;
  };
  const rows = group.attacks.map((attack) => {
    const { http1, http2, gateway } = attack;
    const both = (own: string | undefined, other: string | undefined): string =>
      other === undefined ? outcome(own) : `${outcome(own)}; gateway: ${outcome(other)}`;
    return [sentText(attack), both(http1, gateway?.http1), both(http2, gateway?.http2)];
  });
  return table(['sent', 'HTTP/1.1', 'HTTP/2'], rows);
}

/** The parts that are not what every request has. */
function sentText({ method, target, authority, headers = [], fields }: Attack): string {
  const line = (header: HeaderLine): string => (typeof header === 'string' ? header : `${header[0]}: ${header[1]}`);
  const parts = [
    ...(method === undefined ? [] : [`method ${code(visible(method))}`]),
    ...(target === undefined ? [] : [code(visible(target)) || 'an empty target']),
    ...(authority === undefined ? [] : [`Host ${code(visible(authority))}`]),
    ...headers.map((header) => code(visible(line(header)))),
    ...(fields ?? []).map(([name, value]) => code(visible(`${name}: ${value}`))),
  ];
  return parts.join(', ');
}

/** Bytes that do not print as `\\xNN`; two backticks would end a code span. */
function visible(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('`', '\\x60')
    .replace(/^ | $/g, '\\x20');
}
