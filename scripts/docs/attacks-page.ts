import type { Attack, AttackGroup } from '../../e2e/attack/attack.ts';
import { allowGroup, allowHostsGroup, attackGroups } from '../../e2e/attack/corpus.ts';
import { tlsAttacks } from '../../e2e/attack/tls-attacks.ts';
import { attackedAudience, tokenAttacks } from '../../e2e/attack/token-attacks.ts';
import { readRequest } from '../../src/testbed/reading.ts';
import type { HeaderLine } from '../../src/testbed/wire/http1.ts';
import { code, table } from './markdown.ts';

const introduction = `Each row was sent byte for byte to a real Envoy with compiled policies: through a sidecar and through a gateway, to a rule of a DENY policy and to the same rule negated in an ALLOW policy, all with the same outcome unless a row says otherwise. \`e2e/attack/attack.e2e.ts\` repeats it and compares, and sends the same by way of the attacker's own sidecar, where none may pass either.

- \`403\`: refused by the policy. \`400\`, \`404\`, \`421\`, \`426\`, \`501\`: refused by Envoy for the request's own sake. \`422\`: the application could not read it. *reset*: Envoy reset the stream, and the connection lives on.
- \`200\` and what the application was asked for. **Own equivalence**: an application that forgives a trailing slash, \`;\` parameters or case takes it for what is denied. No proxy can know; the compiler warns about such rules (\`other-spellings-of-path\`).
- A dash: the version cannot carry it.

At gateways every request whose path still holds \`/..;\` or \`/.;\` after normalization, or whose authority is neither empty nor canonical, is refused, whatever the policies: access rules, the sidecar behind, or the application, would read another path or host than the gateway's routes do. Paths in rules of AuthorizationPolicies do the same at sidecars, and hosts that a rule lets in are those of canonical authorities alone. An authority is canonical if it is a name of letters, digits, \`-\` and \`_\` between single dots, or an IPv6 address in brackets, with or without a port of digits. Envoy takes one dot at the end of the name away before.

The application reads as conforming ones do: it decodes once and resolves dot segments and empty segments. One that decodes twice, or takes overlong UTF-8 (RFC 3629 section 3 forbids it) for ASCII, has a fault that no proxy can cover.

A host name in a ServiceEntry that resolves to 127.0.0.1 leads a gateway to whatever else listens in its own pod (the proxy's own ports and addresses written as loopback are refused): Envoy connects to any address that DNS answers, and no configuration of it refuses some. Keep other listeners out of gateway pods, and let nobody write ServiceEntries that gateways see (\`exportTo\`) who may not reach those ports.`;

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
    'certificates) and `raw.example.com` (passed through). *closed*: the handshake failed. `421`: the host belongs to ' +
    'another server.';
  const outcome = (seen: string | undefined): string =>
    seen === undefined ? '–' : /^\d/.test(seen) ? seen : `*${seen}*`;
  const rows = tlsAttacks.map((attack) => [
    attack.sni === '' ? 'none' : code(attack.sni),
    attack.client ?? 'none',
    sentText(attack),
    outcome(attack.http1),
    outcome(attack.http2),
  ]);
  const head = ['server name', 'client certificate', 'sent', 'HTTP/1.1', 'HTTP/2'];
  return `## A host of another TLS server\n\n${about}\n\n${table(head, rows)}`;
}

/** Tokens that an issuer signed and that Envoy's filter takes though stricter verifiers do not. */
function tokenSection(): string {
  const about =
    `A rule has the issuer's keys and \`audiences: [${attackedAudience}]\`. Each token below is signed with the issuer's ` +
    "key, so that only an issuer that signs what others ask for is open to them. Envoy's filter looks neither at `crit`, " +
    '`b64` and `typ` nor at an `exp` of 0, and compares audiences without `http://` or `https://` and without one final ' +
    'slash. An access rule right behind it refuses a verified token with any `crit` or `b64`, with an `exp` from 0 to ' +
    'below 1, or without one of the audiences as they are written. What `typ` says is left to the application. Where an ' +
    'issuer signs tokens without `exp`, the bound on them is the life of its keys. `src/compiler/lower/authentication/tokens.e2e.ts` ' +
    'repeats it on a real Envoy.\n\n' +
    'A request may have two tokens of one rule, in two of its places (RFC 6750, section 2, forbids it to clients). Both ' +
    'must be verified, but of the two only one is looked at further, by the rule above and by the rules of policies: the ' +
    "one in the header, where the rule's places are the usual ones. Claims that are copied into headers " +
    '(`outputClaimToHeaders`, `outputPayloadToHeader`) come from both then, one after the other: an application that ' +
    'reads such a header takes one with two values for none, or the rule has one place only. So it is with a header that stands twice. Of a ' +
    'parameter or a cookie that stands twice Envoy verifies the first alone. It takes tokens out of headers and of the ' +
    'query before the application gets the request (unless `forwardOriginalToken`), and leaves cookies: an application takes a cookie that comes twice for none.';
  const rows = tokenAttacks.map(({ about: has, status, strict }) => [has, String(status), strict]);
  return `## A token that its issuer signed\n\n${about}\n\n${table(['token', 'answer', 'a strict verifier'], rows)}`;
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
