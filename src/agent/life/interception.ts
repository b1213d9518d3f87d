import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';

/** What a network namespace and its process say of TPROXY. */
export interface InterceptionFacts {
  /** What leads marked packets to this host, which rules for TPROXY need; undefined where nobody can tell. */
  readonly routing: 'ours' | 'of others' | 'none' | undefined;
  /** NET_ADMIN of a program that this process starts: `never` where the container took it away. */
  readonly netAdmin: 'has' | 'lacks' | 'never';
}

/** Throws when rules and configuration are for different modes: every inbound connection would hang. */
export async function checkInterception(
  files: Pick<ProxyFiles, 'listeners'>,
  readFacts: () => Promise<InterceptionFacts>,
  log: Log,
): Promise<void> {
  const isTproxy = expectsTproxy(files);
  if (isTproxy === undefined) return;
  const { error, warning } = judgeInterception(isTproxy, await readFacts());
  if (error !== undefined) throw new AgentError('interception-mode-mismatch', error);
  if (warning !== undefined) log.warn(warning);
}

/** What is wrong, if anything. */
export function judgeInterception(
  isTproxy: boolean,
  { routing, netAdmin }: InterceptionFacts,
): { readonly error?: string; readonly warning?: string } {
  if (!isTproxy) {
    if (routing !== 'ours') return {};
    return {
      error:
        'the rules of this network namespace are for TPROXY and the configuration is for REDIRECT, so that every inbound ' +
        `connection would hang: set INTERCEPTION_MODE=TPROXY for the agent (${otherWays}), or make the rules with -m REDIRECT`,
    };
  }
  if (netAdmin === 'never')
    return { error: `TPROXY needs the capability NET_ADMIN, which this container lacks: ${grant}` };
  if (routing === 'none') {
    return {
      error:
        'the configuration is for TPROXY and this network namespace has no rules for it, so that every inbound connection ' +
        'would hang or pass the proxy by: make them with istio-iptables -m TPROXY (or INTERCEPTION_MODE=TPROXY) before the ' +
        `agent starts, or leave the mode REDIRECT (INTERCEPTION_MODE, ${otherWays})`,
    };
  }
  if (netAdmin === 'has') return {};
  return {
    warning: `TPROXY needs the capability NET_ADMIN, which Envoy will not have unless its file gives it: ${grant}`,
  };
}

const otherWays = 'annotation sidecar.mesh.io/interceptionMode, interceptionMode of the ProxyConfig';
const grant =
  'add it to the container, and run the agent as root with group 1337, or as 1337 with it as ambient capability';

/** Whether the inbound listener is made for TPROXY; undefined where there is none, as at gateways. */
function expectsTproxy({ listeners }: Pick<ProxyFiles, 'listeners'>): boolean | undefined {
  const inbound = listeners.resources.find(({ name }) => name === 'virtualInbound');
  return inbound && inbound.json.transparent === true;
}
