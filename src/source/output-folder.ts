/** A folder that holds a file of this name was written to by the compiler: the file lists what it wrote there. */
export const outputMarker = '.meshpol-files';

/** What the compiler writes, relative to the folder: for each proxy, and for the whole mesh. */
const outputPath = /^(?:mesh|[^/]+\/[^/]+\/(?:bootstrap|clusters|listeners|origins|routes\/[^/]+))\.(?:json|yaml)$/;

/**
 * The paths of a list that are outputs, and so no inputs. Whatever else stands in the folder is an input, and so is what
 * the list names though the compiler writes nothing of that name: a list must not hide a policy.
 */
export function listedOutputs(list: string): readonly string[] {
  return list.split('\n').filter((path) => outputPath.test(path) && !path.split('/').includes('..'));
}
