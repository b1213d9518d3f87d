import type { Chain, Listener } from '../lift/listener.ts';
import { type AddressBlock, addressBytes } from '../model/address-block.ts';

/** What the bytes of a connection are by the inspector for TLS. */
export type Transport = 'tls' | 'raw_buffer';

/** Chains of a listener for one destination, and what the later steps of the choice would else find out for each connection. */
export interface ChainsTowards {
  readonly chains: readonly Chain[];
  /** Whether any of them names servers, or addresses of clients. */
  readonly nameServers: boolean;
  readonly nameSources: boolean;
  readonly ofTransport: Readonly<Record<Transport, readonly Chain[]>>;
}

/** The chains of a listener that Envoy chooses from, once it has narrowed them by port and address. */
export function chainsTowards(
  { chains }: Listener,
  { address, port }: { readonly address: string; readonly port: number },
): ChainsTowards {
  let byPort = indexes.get(chains);
  if (byPort === undefined) {
    const ports = new Set(chains.map(({ match }) => match.port));
    byPort = new Map([...ports].map((own) => [own, new PortChains(chains.filter(({ match }) => match.port === own))]));
    indexes.set(chains, byPort);
  }
  return (byPort.get(port) ?? byPort.get(undefined))?.towards(address) ?? noChains;
}

const indexes = new WeakMap<Listener['chains'], ReadonlyMap<number | undefined, PortChains>>();

/** Chains for one destination port, by address. */
class PortChains {
  readonly #chains: readonly Chain[];
  /** Those for all addresses; undefined where some chains name addresses. */
  readonly #all: ChainsTowards | undefined;
  readonly #byAddress = new Map<string, ChainsTowards>();

  constructor(chains: readonly Chain[]) {
    this.#chains = chains;
    if (chains.every((chain) => destinationsOf(chain).length === 0)) this.#all = newChainsTowards(chains);
  }

  towards(address: string): ChainsTowards {
    if (this.#all !== undefined) return this.#all;
    let found = this.#byAddress.get(address);
    if (found === undefined) {
      found = newChainsTowards(narrowest(this.#chains, destinationsOf, address));
      if (this.#byAddress.size >= mostAddresses) this.#byAddress.clear();
      this.#byAddress.set(address, found);
    }
    return found;
  }
}

/** A client may ask for any. */
const mostAddresses = 1024;

function newChainsTowards(chains: readonly Chain[]): ChainsTowards {
  return {
    chains,
    nameServers: chains.some(({ match }) => match.serverNames.length > 0),
    nameSources: chains.some(({ match }) => match.sources.length > 0),
    ofTransport: { tls: byTransport(chains, 'tls'), raw_buffer: byTransport(chains, 'raw_buffer') },
  };
}

const noChains = newChainsTowards([]);

/** The chains that name a transport, else those that name none. */
export function byTransport(chains: readonly Chain[], transport: Transport): readonly Chain[] {
  const isNamed = chains.some(({ match }) => match.transport === transport);
  return chains.filter(({ match }) => match.transport === (isNamed ? transport : undefined));
}

function destinationsOf({ match }: Chain): readonly AddressBlock[] {
  return match.destinations;
}

/** The chains of the smallest block that holds the address; those without blocks where none does. */
export function narrowest(
  chains: readonly Chain[],
  blocksOf: (chain: Chain) => readonly AddressBlock[],
  text: string,
): readonly Chain[] {
  const address = addressBytes(text);
  let longest = -1;
  let found: Chain[] = [];
  for (const chain of chains) {
    const length = longestHolding(blocksOf(chain), address);
    if (length > longest) [longest, found] = [length, []];
    if (length === longest && length !== -1) found.push(chain);
  }
  return longest === -1 ? chains.filter((chain) => blocksOf(chain).length === 0) : found;
}

/** -1 where no block holds the address. */
function longestHolding(blocks: readonly AddressBlock[], address: readonly number[]): number {
  let longest = -1;
  for (const block of blocks) if (block.length > longest && block.holds(address)) longest = block.length;
  return longest;
}
