/**
 * An environment in which git reads nothing but the repository, and changes nothing: no settings of the user or the machine,
 * none of the variables that lead git elsewhere, no replaced objects, no fetching of what is missing, no questions.
 */
export function sealedEnvironment(environment: NodeJS.ProcessEnv, safeFolders: readonly string[]): NodeJS.ProcessEnv {
  const rest = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_'));
  const safe = safeFolders.flatMap((folder, index) => [
    [`GIT_CONFIG_KEY_${index}`, 'safe.directory'],
    [`GIT_CONFIG_VALUE_${index}`, folder],
  ]);
  return {
    ...Object.fromEntries(rest),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(safeFolders.length),
    ...Object.fromEntries(safe),
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    // Versions before 2.45 do not know the line above: without a protocol they cannot fetch either.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}
