import type { ConsulInstance } from '../../../consul/consul-instance.ts';
import { holdsFormat } from '../../../schema/formats.ts';

/**
 * Protocol of a port of a service, from the metadata `protocol` of its instances: TCP where there is none. Of instances that
 * differ the first decides, and is told; so is a protocol that is unknown, which counts as TCP.
 */
export function portProtocol(
  service: string,
  port: number,
  instances: readonly ConsulInstance[],
  problems: string[],
): string {
  const said = [...new Set(instances.map(({ meta }) => (meta.protocol || 'tcp').toUpperCase()))];
  const [first = 'TCP', ...others] = said;
  const where = `port ${port} of service "${service}"`;
  if (others.length > 0) problems.push(`${where} has the protocols ${said.join(', ')}: ${first} is used`);
  // What is sent over it would have no listener.
  if (first !== 'UDP' && holdsFormat('entry-protocol', first)) return first;
  problems.push(`${where} has the protocol "${first}", which is not supported: TCP is used`);
  return 'TCP';
}
