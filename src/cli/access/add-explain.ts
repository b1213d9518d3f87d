import { type Command, Option } from 'commander';
import type { CliIo } from '../io.ts';
import { filledText } from '../options.ts';
import type { Finish } from '../program.ts';
import type { ExplainOptions } from './explain-command.ts';
import {
  collectHeader,
  parseClaims,
  parseClient,
  parseRequestMethod,
  parseRequestText,
  parseTarget,
} from './explain-options.ts';
import { addAssume, addInputs, addMeshSettings } from './mesh-options.ts';

/** The command `explain` of `meshpol`. */
export function addExplain(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('explain')
    .description('predict whether a request is delivered, and which policies decide');
  addInputs(command)
    .option(
      '--from <client>',
      'the client: namespace/workload; "outside" or an IP address for a client outside the mesh; or a SPIFFE ID for a client outside that has a certificate of the mesh',
      parseClient,
    )
    .option('--to <target>', 'the destination: host[:port], or namespace/workload[:port]', parseTarget)
    .option('--method <method>', 'method of the request (default: GET)', parseRequestMethod)
    .option('--path <path>', 'path of the request, with its query (default: /)', parseRequestText)
    .option(
      '--host <authority>',
      'host of the request (default: the host of --to, with its port if that is not 80)',
      parseRequestText,
    )
    .option(
      '--sni <name>',
      'server name that the client asks for; it uses TLS of its own then (default: no TLS, or with a SPIFFE ID no name)',
      parseRequestText,
    )
    .option('--header <name: value>', 'header of the request; may be repeated', collectHeader)
    .option('--claims <json>', 'claims of a token that the request carries; its signature counts as valid', parseClaims)
    .option(
      '--log-line <line>',
      'a line of an access log that describes the request; options that are given too override what the line says',
      filledText,
    )
    .option(
      '--token <token>',
      'a token (JWT) that the request carries, or a file with one; it is verified with the key sets of the policies',
      filledText,
    )
    .addOption(
      new Option(
        '--authorizer <answer>',
        'what external authorizers answer; away: they do not answer (default: each answer is an outcome)',
      ).choices(['allow', 'deny', 'away']),
    )
    .option('--without-redirection', 'assume that connections go around all sidecars')
    .option('--prove', 'send the request to a real Envoy on this machine too, proxy by proxy, and compare')
    .option(
      '--envoy <path>',
      'Envoy of --prove (default: .tools/bin/envoy, else envoy in PATH) [ENVOY_BINARY]',
      filledText,
    )
    .option('--variants', 'try other spellings of the path too, and print those with another answer')
    .addOption(
      new Option('--protocol <protocol>', 'protocol that the client uses (default: http)').choices([
        'http',
        'http2',
        'tcp',
      ]),
    )
    .addOption(new Option('--format <form>', 'format of the answer').choices(['text', 'json']).default('text'));
  addMeshSettings(addAssume(command)).action(async (paths: string[], options: ExplainOptions) => {
    const { runExplain } = await import('./explain-command.ts');
    finish(await runExplain(paths, options, io));
  });
}
