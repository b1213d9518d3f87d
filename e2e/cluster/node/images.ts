/** What an image says of its programs. */
export interface Image {
  readonly entrypoint: readonly string[];
  readonly user: number;
  readonly env: Readonly<Record<string, string>>;
}

const searchPath = '/run/image/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** As `deploy/Containerfile` has them. */
const agent: Image = {
  entrypoint: ['pilot-agent'],
  user: 1337,
  env: { PATH: searchPath, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TRIM_THRESHOLD_: '65536' },
};

/** A server that answers with the name of its pod. */
const application: Image = {
  entrypoint: ['node', '/run/image/repository/e2e/cluster/node/application.mjs'],
  user: 1000,
  env: { PATH: searchPath },
};

const images: Readonly<Record<string, Image>> = { 'mesh-agent': agent, application };

/** By the name of an image, whatever its tag. */
export function imageOf(name: string): Image {
  const image = images[name.split(':')[0] ?? ''];
  if (image === undefined) throw new Error(`nobody has an image "${name}"`);
  return image;
}
