import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ServingBench, type ServingChanges } from '../../../control/testing/serving-bench.ts';
import { ProxyProgram, type StartOptions } from './proxy-program.ts';

/** From the agent's network to the socket file, behind which the control plane is. */
const relay = `require('node:net').createServer((a) => { const b = require('node:net').connect('meshd'); a.pipe(b).pipe(a); a.on('error', () => b.destroy()); b.on('error', () => a.destroy()); b.on('close', () => a.destroy()); }).listen(15012, '127.0.0.1')`;

/** A control plane, and an agent in a network of its own that has its configuration from it, with the identity foo/httpbin. */
export class DiscoveredProxy {
  readonly bench: ServingBench;
  readonly proxy: ProxyProgram;
  readonly #door: Server;

  private constructor(bench: ServingBench, proxy: ProxyProgram) {
    this.bench = bench;
    this.proxy = proxy;
    this.#door = createServer((inner) => {
      const outer = connect(bench.control.port, '127.0.0.1');
      inner.pipe(outer).pipe(inner);
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    }).listen(join(proxy.folder, 'meshd'));
  }

  /** Starts the control plane with these objects, and other changes of its settings. */
  static async create(mesh: string, changes: ServingChanges = {}): Promise<DiscoveredProxy> {
    const bench = await ServingBench.create();
    await bench.put('mesh.yaml', mesh);
    await bench.start(changes);
    const proxy = await ProxyProgram.create('');
    const { certificate, privateKey } = await bench.identity('foo/httpbin');
    await proxy.write('certs/cert-chain.pem', certificate);
    await proxy.write('certs/key.pem', privateKey);
    await proxy.write('certs/root-cert.pem', bench.root);
    await proxy.write('mesh.yaml', 'defaultConfig: {discoveryAddress: "127.0.0.1:15012"}\n');
    return new DiscoveredProxy(bench, proxy);
  }

  /** Starts the agent, once the shell commands `first` have run in its network namespace. */
  start(environment: Readonly<Record<string, string>> = {}, role?: StartOptions['role'], first = 'true'): void {
    this.proxy.start({
      ...(role && { role }),
      args: ['--meshConfig', 'mesh.yaml'],
      environment: { INSTANCE_IP: '127.0.0.1', ...environment },
      prepare: `${first}\n'${process.execPath}' -e "${relay}" >relay 2>&1 &`,
    });
  }

  async close(): Promise<void> {
    await this.proxy.close();
    this.#door.close();
    await this.bench.close();
  }
}
