import { startOnce } from './warm-up-start.mjs';

/** One start of `pilot-agent proxy` as a client of a control plane, where nothing listens. */
export function warmUp({ runPilotAgent }) {
  return startOnce(runPilotAgent, {
    proxyConfig: { discoveryAddress: '127.0.0.1:1' },
    environment: { INSTANCE_IP: '127.0.0.1' },
  });
}
