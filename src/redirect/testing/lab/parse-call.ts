import { type AddressName, addresses } from './addresses.ts';
import type { Call } from './lab.ts';

/**
 * Who makes a call: a namespace beside the workload (`-frames`: past its routing), or a program of the workload by its
 * owner.
 */
const callers: Readonly<Record<string, Pick<Call, 'from' | 'uid' | 'gid' | 'frame'>>> = {
  peer: { from: 'peer' },
  guest: { from: 'guest' },
  'peer-frames': { from: 'peer', frame: true },
  'guest-frames': { from: 'guest', frame: true },
  app: { uid: 1000, gid: 1000 },
  root: { uid: 0, gid: 0 },
  proxy: { uid: 1337, gid: 1337 },
  'proxy-user': { uid: 1337, gid: 1000 },
  'proxy-group': { uid: 1000, gid: 1337 },
  'second-user': { uid: 1338, gid: 1000 },
  'second-group': { uid: 1000, gid: 1338 },
};

const form = /^(\S+)(?: at (\S+))? > ([^:\s]+):(\d+)(\/udp)?$/;

/** `proxy at delivery > workload:8080`: a caller, the address that it calls from, the called address and port (`/udp`). */
export function parseCall(text: string): Call {
  const [, caller = '', source, to = '', port, udp] = form.exec(text) ?? [];
  const who = callers[caller];
  if (who === undefined || !isAddress(to) || (source !== undefined && !isAddress(source))) {
    throw new Error(`not a call: ${text}`);
  }
  return { ...who, to, port: Number(port), ...(source && { source }), ...(udp && { udp: true }) };
}

function isAddress(name: string): name is AddressName {
  return name in addresses;
}
