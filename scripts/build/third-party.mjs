// What the bundles hold of other packages, and the texts of their licences, which must go where copies of them go.
import { readdirSync, readFileSync } from 'node:fs';

const packageOf = /(?:^|\/)node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)(?=\/)/g;

/** The packages whose files were put into a bundle: `plugin` is given to each build and remembers them. */
export class ThirdParty {
  #folders = new Map();

  /** For esbuild's `plugins`. */
  get plugin() {
    return {
      name: 'third-party',
      setup: (build) => {
        build.initialOptions.metafile = true;
        // A build that failed has made nothing, and esbuild says why.
        build.onEnd(({ metafile }) => metafile && this.add(bundledInputs(metafile)));
      },
    };
  }

  /** Takes the paths of files that a bundle holds. Those that are in no package are of this project. */
  add(paths) {
    for (const path of paths) {
      const last = [...path.matchAll(packageOf)].at(-1);
      if (last !== undefined) this.#folders.set(path.slice(0, last.index + last[0].length), last.groups.name);
    }
  }

  /** Names, versions and licences, sorted by name. Throws where a package has no text of its licence. */
  text() {
    const parts = [...this.#folders]
      .map(([folder, name]) => ({ name, ...licenceOf(folder) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text.trim()}\n`);
    return [introduction, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
  }
}

const introduction = `The programs and the library contain these packages, each under its licence.

The tables that Envoy's configuration is checked by are made from Envoy's API (Apache-2.0), whose licence is the same as
that of this package.
`;

/** Those that an output is made of. */
function bundledInputs({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

function licenceOf(folder) {
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (!file)
    throw new Error(`${folder} is bundled and has no text of its licence: a package may not be published with it`);
  return { version, licence: license, text: readFileSync(`${folder}/${file}`, 'utf8') };
}
