import { type Colours, noColours } from '../../lib/colours.ts';
import type {
  Entrance,
  MtlsInForce,
  RuleInForce,
  ServiceOut,
  TokenInForce,
  TrafficSetting,
  WorkloadDescription,
} from '../description.ts';
import { keyOf } from '../world.ts';
import { decision, objectOf } from './objects.ts';

/** A description of a workload for people: who is let in first, then what decides it, then what was assumed. */
export function formatDescription(
  description: WorkloadDescription,
  assumptions: readonly string[],
  colours: Colours = noColours,
): string {
  const { entrances, mtls, tokens, rules, routesIn, virtualServices } = description;
  const enforcement = description.role === 'none' ? ', not enforced' : '';
  const parts = [
    [headOf(description)],
    section('who is let in', entrances.flatMap(formatEntrance), 'nobody: no port is open'),
    section(`mutual TLS${enforcement}`, mtls.map(formatMtls)),
    section(`tokens${enforcement}`, tokens.map(formatToken), 'none: no RequestAuthentication applies'),
    section(`access rules, in the order in which they are read${enforcement}`, rules.flatMap(formatRule), noRules),
    section(
      'routes in',
      routesIn.map(({ match, action, decidedBy, overrode }) => `${match}: ${action}${decision(decidedBy, overrode)}`),
    ),
    section('routes out', [
      ...virtualServices.map(objectOf),
      ...description.routesOut.flatMap(formatService),
      ...othersOf(description),
    ]),
    section('assumed', assumptions, ''),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map(([title = '', ...lines]) => [colours.strong(title), ...lines].join('\n'))
    .join('\n\n')}\n`;
}

const noRules = 'none: no AuthorizationPolicy applies';

function headOf({ workload, kind, role, identity, addresses }: WorkloadDescription): string {
  const proxies = { sidecar: 'with a sidecar', router: 'a gateway', none: 'without a proxy: no policy is enforced' };
  const at = addresses.length === 0 ? '' : `, at ${addresses.join(', ')}`;
  return `${keyOf(workload)}: ${kind}, ${proxies[role]}, ${identity}${at}`;
}

function formatMtls({ port, mode, decidedBy, overrode }: MtlsInForce, _: number, all: readonly MtlsInForce[]): string {
  const place = port !== undefined ? `port ${port}` : othersThan(all);
  return `${place}: ${mode}${decision(decidedBy, overrode) || ', the default'}`;
}

/** The ports of what has no port of its own. */
function othersThan(all: readonly { readonly port?: number | undefined }[]): string {
  return all.some(({ port }) => port !== undefined) ? 'all other ports' : 'all ports';
}

/** Without `nothing`, a section without lines is left out. */
function section(title: string, lines: readonly string[], nothing = ''): readonly string[] {
  if (lines.length === 0 && nothing === '') return [];
  const shown = lines.length === 0 ? [nothing] : lines;
  return [`${title}:`, ...shown.map((line) => `  ${line}`)];
}

function formatEntrance(
  { port, serverNames, services, letsIn }: Entrance,
  _: number,
  all: readonly Entrance[],
): readonly string[] {
  const names = serverNames.length === 0 ? '' : `, server name ${serverNames.join(' or ')}`;
  const served = services.length === 0 ? '' : ` (${services.join(', ')})`;
  const place = port === undefined ? othersThan(all) : `port ${port}${served}${names}`;
  return letsIn.map((sentence) => `${place}: ${sentence}`);
}

function formatToken({ issuer, audiences, locations, decidedBy }: TokenInForce): string {
  const meant = audiences.length === 0 ? 'any audience' : `audience ${audiences.join(' or ')}`;
  return `issuer ${issuer || '(any)'}, ${meant}, in ${locations.join(' or ')}, by ${objectOf(decidedBy)}`;
}

function formatRule(
  { action, authorizer, isDryRun, words, name, decidedBy }: RuleInForce,
  i: number,
): readonly string[] {
  const asked = authorizer === undefined ? '' : ` (asks ${authorizer})`;
  const tried = isDryRun ? ', a dry run: counted and logged, not enforced' : '';
  const nothing = action === 'ALLOW' ? 'no rules: allows nothing' : 'no rules: has no effect';
  return [
    `${i + 1}. ${action}${asked} ${objectOf(decidedBy)}${tried}`,
    ...(name === undefined ? [`     ${nothing}`] : words.map((part) => `     ${part}`)),
  ];
}

function formatService({ host, settings }: ServiceOut): readonly string[] {
  return settings.map(({ subset, port, traffic, decidedBy, overrode }: TrafficSetting) => {
    const place = `${host}:${port}${subset === '' ? '' : `, subset ${subset}`}`;
    return `${place}: ${JSON.stringify(traffic)}${decision(decidedBy, overrode)}`;
  });
}

function othersOf({ role, otherServices, routesOut }: WorkloadDescription): readonly string[] {
  if (role === 'none') return ['its requests go where it sends them: without a proxy no route applies'];
  const services = otherServices === 1 ? '1 service' : `${otherServices} services`;
  const others = routesOut.length > 0 ? `${services} more` : services;
  return otherServices === 0 ? [] : [`${others} without a DestinationRule`];
}
