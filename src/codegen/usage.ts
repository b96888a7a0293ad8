/** What `callgate gen --help` prints. */
export const genUsage = `Usage: callgate gen FILES... --out FILE [options]

Writes a TypeScript file with a tool for every exported function of the files: the JSON Schema of its parameters, and a
wrapper that calls it.

  --out FILE          the file to write, such as src/tools.gen.ts
  --check             write nothing; exit with 1 and a diff when the file is not what would be written
  --watch             stay, and write again whenever a source changes
  --tagged            take only functions with @tool in their documentation
  --extension EXT     what imports of the sources end in: ts, js or none (default: ts where the tsconfig allows it,
                      by allowImportingTsExtensions or rewriteRelativeImportExtensions, else js)
  --import-from NAME  where to import defineTool from (default callgate)
  --tsconfig FILE     the settings to read the sources under (default: the nearest tsconfig.json)
  --typescript NAME   the package to load TypeScript from (default: $CALLGATE_TYPESCRIPT, else typescript)

In the documentation of a function (a parameter's name comes first; options.limit and tags[] name what is inside):

  @param limit text   describes a parameter; without a tag, the text describes the tool
  @toolname name      instead of the function's name in snake_case
  @minimum limit 1    likewise @maximum, @exclusiveMinimum, @exclusiveMaximum, @multipleOf, @minLength, @maxLength,
                      @pattern, @format, @minItems, @maxItems, @minProperties, @maxProperties
  @integer limit      likewise @uniqueItems
  @permission read    the level; @timeout 5000 (ms); @tag word; @title text
  @readOnly           likewise @destructive, @idempotent, @openWorld; with false behind it, the contrary
  @path file read     declares a path argument (read or write); likewise @url page, @command line
  @tool               selects the function for --tagged, or one of several overloads

On a property of an interface the same constraints stand without a name, and @default takes a JSON value. A last
parameter of type ToolContext or AbortSignal is given by the router.

Exit codes: 0 done, 1 the file has drifted (--check), 2 a function cannot be expressed, or the command is wrong.
`;
