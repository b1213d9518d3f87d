import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import type { Report, Rule } from '../rule.ts';
import { quotedList } from '../words.ts';
import { checkPorts } from './service-ports.ts';

/** Validation of ServiceEntry beyond its schema. */
export const serviceEntryRules: readonly Rule<ServiceEntry>[] = [
  checkPorts,
  checkPortNames,
  checkPortNumbers,
  checkBlocks,
  checkEndpointSources,
  checkEndpointsOfResolution,
  checkEndpointPorts,
  checkNamesOfDns,
];

function checkPortNames({ spec }: ServiceEntry, report: Report): void {
  const seen = new Set<string>();
  for (const [i, { name }] of (spec.ports ?? []).entries()) {
    if (seen.has(name)) report('duplicate-port-name', ['spec', 'ports', i, 'name'], { name });
    seen.add(name);
  }
}

/** Istio refuses it too. */
function checkPortNumbers({ spec }: ServiceEntry, report: Report): void {
  const seen = new Set<number>();
  for (const [i, { number }] of (spec.ports ?? []).entries()) {
    if (seen.has(number)) report('repeated-port', ['spec', 'ports', i, 'number'], { port: String(number) });
    seen.add(number);
  }
}

/** A block stands for addresses that applications choose; one that DNS is asked for has one address. */
function checkBlocks({ spec }: ServiceEntry, report: Report): void {
  const { resolution = 'NONE', addresses = [] } = spec;
  if (!resolution.startsWith('DNS')) return;
  for (const [i, block] of addresses.entries()) {
    if (block.includes('/')) report('block-with-dns', ['spec', 'addresses', i], { block, resolution });
  }
}

function checkEndpointSources({ spec }: ServiceEntry, report: Report): void {
  if (spec.workloadSelector === undefined || spec.endpoints === undefined) return;
  const holes = { fields: '"endpoints" and "workloadSelector"', where: 'ServiceEntry spec' };
  report('conflicting-fields', ['spec', 'workloadSelector'], holes, { part: 'key' });
}

/** Without a resolution the application chooses the address itself; one name is asked for where they take turns. */
function checkEndpointsOfResolution({ spec }: ServiceEntry, report: Report): void {
  const { resolution = 'NONE', endpoints = [] } = spec;
  const most = resolution === 'NONE' ? 0 : resolution === 'DNS_ROUND_ROBIN' ? 1 : Number.POSITIVE_INFINITY;
  if (endpoints.length <= most) return;
  const expected = most === 0 ? 'no entry' : 'at most one entry';
  const holes = { resolution, expected, count: String(endpoints.length) };
  report('too-many-endpoints', ['spec', 'endpoints'], holes, { part: 'key' });
}

/** Without endpoints the hosts themselves are what DNS is asked for; Istio refuses patterns too. */
function checkNamesOfDns({ spec }: ServiceEntry, report: Report): void {
  const { resolution = 'NONE', endpoints = [], workloadSelector } = spec;
  if (!resolution.startsWith('DNS') || endpoints.length > 0 || workloadSelector !== undefined) return;
  for (const [i, host] of spec.hosts.entries()) {
    if (host.includes('*')) report('wildcard-host-of-dns', ['spec', 'hosts', i], { host, resolution });
  }
}

/** An endpoint's port is found by the name of the entry's. */
function checkEndpointPorts({ spec }: ServiceEntry, report: Report): void {
  const names = (spec.ports ?? []).map(({ name }) => name);
  for (const [i, { ports = {} }] of (spec.endpoints ?? []).entries()) {
    for (const name of Object.keys(ports)) {
      if (names.includes(name)) continue;
      const holes = { name, names: quotedList(names, 'or') || 'no port' };
      report('unknown-endpoint-port', ['spec', 'endpoints', i, 'ports', name], holes, { part: 'key' });
    }
  }
}
