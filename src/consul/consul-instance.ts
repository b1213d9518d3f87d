import { ConsulError } from './consul-error.ts';

export type ConsulHealth = 'passing' | 'warning' | 'critical';

/** One instance of a service, with the state of its checks and its node's. */
export interface ConsulInstance {
  readonly id: string;
  readonly node: string;
  readonly datacenter: string;
  /** The service's own address, else its node's: an IP address or a host name. */
  readonly address: string;
  readonly port: number;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
  /** Share of the load for the state of now. */
  readonly weight: number;
  /** The worst of its checks; maintenance is critical. */
  readonly health: ConsulHealth;
}

/** One check of `/v1/health/state/any`. */
export interface ConsulCheck {
  /** Tells it from all others of its datacenter. */
  readonly key: string;
  readonly node: string;
  /** Empty: a check of the node, which counts for all its services. */
  readonly service: string;
  readonly status: string;
}

/** Reads the answer of `/v1/health/service/<name>`. `ConsulError` where it has another shape. */
export function readInstances(value: unknown): readonly ConsulInstance[] {
  return listOf(value).map((entry) => {
    const { Node: node, Service: service, Checks: checks } = objectOf(entry);
    const { Node: nodeName, Address: nodeAddress, Datacenter: datacenter } = objectOf(node);
    const { ID: id, Address: own, Port: port, Tags: tags, Meta: meta, Weights: weights } = objectOf(service);
    const health = healthOf(listOf(checks ?? []).map((check) => textOf(objectOf(check).Status)));
    const { Passing: passing = 1, Warning: warning = 1 } = objectOf(weights ?? {});
    return {
      id: textOf(id),
      node: textOf(nodeName),
      datacenter: optionalText(datacenter),
      address: optionalText(own) || textOf(nodeAddress),
      port: numberOf(port ?? 0),
      tags: listOf(tags ?? []).map(textOf),
      meta: Object.fromEntries(Object.entries(objectOf(meta ?? {})).map(([key, text]) => [key, textOf(text)])),
      weight: numberOf(health === 'warning' ? warning : passing),
      health,
    };
  });
}

/** Reads the answer of `/v1/health/state/any`. `ConsulError` where it has another shape. */
export function readChecks(value: unknown): readonly ConsulCheck[] {
  return listOf(value).map((entry) => {
    const { Node: node, CheckID: id, ServiceID: serviceId, ServiceName: service, Status: status } = objectOf(entry);
    const key = JSON.stringify([node, id, serviceId]);
    return { key, node: textOf(node), service: optionalText(service), status: textOf(status) };
  });
}

/** Reads the answer of `/v1/catalog/services`: the tags of each service, as one text to compare. */
export function readServiceTags(value: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries(objectOf(value)).map(([name, tags]) => [name, JSON.stringify(tags)]));
}

/** A status that is unknown counts as critical: it must not bring traffic to an instance. */
function healthOf(states: readonly string[]): ConsulHealth {
  if (states.some((state) => state !== 'passing' && state !== 'warning')) return 'critical';
  return states.includes('warning') ? 'warning' : 'passing';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unexpected('an object', value);
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unexpected('a list', value);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw unexpected('a text', value);
}

function optionalText(value: unknown): string {
  return textOf(value ?? '');
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw unexpected('a number', value);
}

function unexpected(wanted: string, value: unknown): ConsulError {
  const found = JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
  return new ConsulError('consul-answer-unusable', `the answer of Consul has ${found} where ${wanted} is expected`);
}
