import type { IncomingHttpHeaders } from 'node:http';
import type { AppProbe } from './app-probe.ts';
import { dial, type PodAddresses } from './dial.ts';
import { probeGrpc } from './grpc-probe.ts';
import { type ProbeAnswer, probeHttp } from './http-probe.ts';

const nothing = Buffer.alloc(0);

/** The probe's answer, and why there is none: 500 then. */
export interface ProbeResult extends ProbeAnswer {
  readonly failure: string | undefined;
}

/** Asks the application within the probe's time: its own status over HTTP, else 200 or 500. Never throws. */
export async function runProbe(
  { action, timeoutMs }: AppProbe,
  incoming: IncomingHttpHeaders,
  addresses: PodAddresses,
): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    if (action.kind === 'http')
      return { ...(await probeHttp(action, incoming, addresses, signal)), failure: undefined };
    if (action.kind === 'tcp') {
      (await dial(addresses, action.port, signal)).destroy();
      return { status: 200, body: nothing, failure: undefined };
    }
    const isServing = await probeGrpc(action, addresses, signal);
    return isServing ? { status: 200, body: nothing, failure: undefined } : failed('the service is not serving');
  } catch (error) {
    return failed(signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message);
  }
}

function failed(failure: string): ProbeResult {
  return { status: 500, body: nothing, failure };
}
