import type { Environment } from '../../config/environment.ts';
import { variables } from '../../config/variables.ts';
import type { ControlConfig } from '../../control/control-config.ts';
import { type Address, parseAddress } from '../../control/server/address.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';

/** The port of DNS over TLS (RFC 7858), which agents dial. */
const tlsPort = 853;

/**
 * Where the names of the mesh are served: DNS_ADDR, and over TLS --dnsTlsAddr; undefined: nowhere. `UsageError` for an address
 * that is none, or that was given where there is no mesh.
 */
export function dnsOf(
  { dnsTlsAddr }: Pick<ServeFlags, 'dnsTlsAddr'>,
  environment: Environment,
  hasMesh: boolean,
): ControlConfig['dns'] {
  const usual = variables.find(({ name }) => name === 'DNS_ADDR')?.default ?? '';
  const { DNS_ADDR: text = usual } = environment;
  if (!hasMesh) {
    const given = [environment.DNS_ADDR && text !== usual && 'DNS_ADDR', dnsTlsAddr && '--dnsTlsAddr'].find(Boolean);
    if (given) throw new UsageError(`${given} has an effect with --config, --git or --kubernetes alone`);
    return undefined;
  }
  const plain = text === '' ? undefined : addressOf(text);
  const tls = dnsTlsAddr ?? (plain && { host: plain.host, port: tlsPort });
  if (plain === undefined && tls === undefined) return undefined;
  return { plain, tls, isUsual: { plain: environment.DNS_ADDR === undefined, tls: dnsTlsAddr === undefined } };
}

function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined)
    throw new UsageError(`DNS_ADDR is an address like ":15053" or "127.0.0.1:53", not "${text}"`);
  return address;
}
