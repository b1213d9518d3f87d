import type { Command } from 'commander';
import { parseKeySetOption } from '../key-sets/option.ts';
import {
  collectPath,
  collectPattern,
  parseNamespace,
  parsePath,
  parseSize,
  parseTrustDomain,
  rootDefault,
} from '../options.ts';
import { collectAssumption } from './assume-option.ts';

/** The arguments of a command that answers questions about a mesh: its inputs. */
export function addInputs(command: Command): Command {
  return command
    .argument('[PATHS...]', 'files, folders (recursive), or - for standard input', collectPath)
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--exclude <glob>', 'files to leave out, a pattern as in .gitignore; may be repeated', collectPattern);
}

/** Workloads that the inputs lack. */
export function addAssume(command: Command): Command {
  return command.option(
    '--assume <workload>',
    'a workload that the inputs lack: namespace/name[,labels=key:value+…][,account=name][,ports=[protocol:]port+…][,proxy=sidecar|router|none], or @file with one a line; may be repeated',
    collectAssumption,
  );
}

/** The settings that the mesh is compiled with. */
export function addMeshSettings(command: Command): Command {
  return command
    .option('--meshConfig <file>', 'mesh configuration (default: none)', parsePath)
    .option(
      '--templateFile <path>',
      'bootstrap template, or a folder whose templates replace those of the same name (default: none)',
      parsePath,
    )
    .option(
      '--trust-domain <domain>',
      'trust domain of identities (default: TRUST_DOMAIN, else trustDomain of the mesh configuration, else cluster.local)',
      parseTrustDomain,
    )
    .option(
      '--root-namespace <name>',
      `namespace whose policies apply to the whole mesh ${rootDefault}`,
      parseNamespace,
    )
    .option(
      '--jwks <issuer=file>',
      'JSON Web Key Set that verifies the tokens of an issuer; may be repeated',
      parseKeySetOption,
    )
    .option('--max-file-size <size>', 'largest size of an input file (default: 16MiB)', parseSize);
}
