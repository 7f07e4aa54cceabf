// Prints the tokens that vscode-textmate finds in files: `node tokenise.js GRAMMAR FILE...`, one JSON array a file.
const fs = require("fs");
const { createRequire } = require("module");
const path = require("path");
const load = createRequire(path.join(process.env.MODULES || path.join(__dirname, "node_modules"), "x.js"));
const textmate = load("vscode-textmate");
const oniguruma = load("vscode-oniguruma");

async function main([grammarPath, ...files]) {
  const wasm = fs.readFileSync(load.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
  const onigLib = oniguruma.loadWASM(wasm).then(() => ({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }));
  const content = fs.readFileSync(grammarPath, "utf8");
  const loadGrammar = async () => textmate.parseRawGrammar(content, grammarPath);
  const grammar = await new textmate.Registry({ onigLib, loadGrammar }).loadGrammar("source.tracepact");
  for (const file of files) {
    let state = textmate.INITIAL;
    const found = [];
    fs.readFileSync(file, "utf8").split("\n").forEach((line, number) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      for (const { startIndex, endIndex, scopes } of tokens) {
        if (scopes.length > 1) found.push([number, line.slice(startIndex, endIndex), scopes[1]]);
      }
    });
    console.log(JSON.stringify(found));
  }
}

main(process.argv.slice(2));
