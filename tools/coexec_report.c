/* SPDX-License-Identifier: MIT */
/*
 * coexec report: a page with charts and tables of a bench's JSON, that of a run whose power was measured, or
 * a trace. One file that loads nothing from elsewhere; without JavaScript only zoom is missing.
 */
#include "tools/coexec_report.h"
#include "tools/coexec.h"
#include "tools/coexec_chart.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char me[] = "report";

struct request {
    const char *file, *out, *svg, *chart, *markdown;
    unsigned long long launch;
};

static const char page_style[] =
    "*{box-sizing:border-box}body{margin:0 "
    "auto;max-width:64rem;padding:1rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.35rem;line-height:1.25}h2{font-size:1.05rem;margin-top:2rem}"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem;"
    "margin-top:"
    "2rem}"
    "figure{margin:0;min-width:0}figure.wide{grid-column:1/-1}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}.scroll :is(th,td):first-child{position:sticky;left:0;"
    "background:var(--bg)}td.text{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9rem}"
    "th.text{text-align:left}th{white-space:normal;vertical-align:bottom}td{vertical-align:top}caption{text-"
    "align:left;color:var(--dim)}\n"
    "p{overflow-wrap:anywhere}p.dim{color:var(--dim);font-size:13px}p.warn{color:var(--mark)}\n"
    "@media(max-width:44rem){.cards thead{display:none}.cards,.cards tbody{display:block}"
    ".cards tr{display:grid;grid-template-columns:auto 1fr;gap:.1rem .8rem;padding:.6rem 0;border-bottom:1px "
    "solid "
    "var(--grid)}.cards td{display:contents;text-align:left}.cards "
    "td:first-child{display:block;grid-column:1/-1;"
    "padding:0;border:0;font-weight:600;white-space:normal;overflow-wrap:anywhere}"
    ".cards td.none{display:none}.cards td::before{content:attr(data-label);color:var(--dim)}"
    ".cards td:first-child::before{content:none}}\n";

/* Wheel or pinch: zoom about the pointer; drag: move; double click: all. */
static const char script[] =
    "for(const g of document.querySelectorAll('g.timeline')){\n"
    " const left=+g.dataset.left,width=+g.dataset.width,span=+g.dataset.span,svg=g.ownerSVGElement;let "
    "a=0,b=span,x0=null;\n"
    " const at=e=>a+(b-a)*Math.min(1,Math.max(0,((e.clientX-svg.getBoundingClientRect().left)/"
    "svg.getBoundingClientRect().width*svg.viewBox.baseVal.width-left)/width));\n"
    " const draw=()=>{for(const r of g.children){const s=+r.dataset.s,d=+r.dataset.d,f=width/(b-a);"
    "const x=Math.max(left,left+(s-a)*f),e=Math.min(left+width,left+(s+d-a)*f);"
    "r.style.display=e<left||x>left+width?'none':'';r.setAttribute('x',x);r.setAttribute('width',Math.max(.4,"
    "e-x));}for(const t of "
    "svg.querySelectorAll('.tick'))t.textContent=+(a+(b-a)*t.dataset.f).toPrecision(5)+' "
    "ms';};\n"
    " svg.addEventListener('wheel',e=>{e.preventDefault();const p=at(e),k=Math.exp(e.deltaY*.002);"
    "a=Math.max(0,p-(p-a)*k);b=Math.min(span,p+(b-p)*k);if(b-a<span*1e-6)b=a+span*1e-6;draw();},{passive:"
    "false});\n"
    " svg.addEventListener('pointerdown',e=>{x0=at(e);});addEventListener('pointerup',()=>{x0=null;});\n"
    " svg.addEventListener('pointermove',e=>{if(x0===null)return;const "
    "d=Math.min(span-b,Math.max(-a,x0-at(e)));"
    "a+=d;b+=d;draw();});\n"
    " svg.addEventListener('dblclick',()=>{a=0;b=span;draw();});\n"
    "}\n";

static int read_options(struct request *request, int argc, char **argv)
{
    const struct {
        const char *flag;
        const char **value;
    } with_value[] = {{"-o", &request->out},
                      {"--svg", &request->svg},
                      {"--chart", &request->chart},
                      {"--markdown", &request->markdown}};
    const size_t n = sizeof with_value / sizeof *with_value;
    for (int i = 1; i < argc; i++) {
        size_t o = 0;
        if (strcmp(argv[i], "--launch") == 0 && i + 1 < argc) {
            char *end;
            errno = 0;
            request->launch = strtoull(argv[++i], &end, 10);
            if (!isdigit((unsigned char)*argv[i]) || *end || errno)
                return cx_usage_error(me, "--launch %s: not a launch's number", argv[i]);
            continue;
        }
        while (o < n && strcmp(argv[i], with_value[o].flag) != 0)
            o++;
        if (o < n && i + 1 < argc)
            *with_value[o].value = argv[++i];
        else if (o < n || strcmp(argv[i], "--launch") == 0)
            return cx_usage_error(me, "%s needs a value", argv[i]);
        else if (argv[i][0] == '-' || request->file)
            return cx_usage_error(me, argv[i][0] == '-' ? "unknown option %s" : "more than one file: %s",
                                  argv[i]);
        else
            request->file = argv[i];
    }
    return request->file ? CX_EXIT_OK : cx_usage_error(me, "no file to report on");
}

/* A trace is an array of events, the others are objects; that of `coexec power` has its command first. */
static const struct cx_report_kind *kind_of(const char *file)
{
    FILE *in = fopen(file, "re");
    char first[16] = "";
    int c = EOF;
    while (in && (c = fgetc(in)) != EOF && isspace(c))
        ;
    if (c == '{' && fscanf(in, " \"%15[a-z_]", first) != 1)
        *first = '\0';
    if (in)
        fclose(in);
    return c == '['                        ? &cx_report_trace
           : c != '{'                      ? NULL
           : strcmp(first, "command") == 0 ? &cx_report_power
                                           : &cx_report_bench;
}

/* Nothing where the data has none. */
static void write_figure(FILE *out, const struct cx_report_kind *kind, const void *data, size_t chart)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return;
    kind->draw(data, chart, memory);
    if (fclose(memory) == 0 && length)
        fprintf(out, "<figure%s>\n%s</figure>\n",
                strstr(text, "<svg") && strstr(text, " class=\"wide\"") ? " class=\"wide\"" : "", text);
    free(text);
}

static void write_page(FILE *out, const struct cx_report_kind *kind, const void *data, const char *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light "
          "dark\"><title>",
          out);
    cx_chart_text(out, kind->title(data));
    fprintf(out, "</title><style>\n%s%s</style></head><body>\n<h1>", cx_chart_style, page_style);
    cx_chart_text(out, kind->title(data));
    fputs("</h1>\n<p class=\"dim\">coexec " CX_VERSION ", from ", out);
    cx_chart_text(out, file);
    fputs("</p>\n", out);
    kind->head(data, out);
    fputs("<div class=\"charts\">\n", out);
    for (size_t c = 0; kind->charts[c]; c++)
        write_figure(out, kind, data, c);
    fputs("</div>\n", out);
    kind->tables(data, out);
    fprintf(out, "<script>\n%s</script>\n</body></html>\n", script);
}

/* One chart alone, with the style inside. */
static int write_svg(FILE *out, const struct cx_report_kind *kind, const void *data, const char *chart)
{
    char *text = NULL;
    size_t length = 0, c = 0;
    while (kind->charts[c] && chart && strcmp(kind->charts[c], chart) != 0)
        c++;
    if (!kind->charts[c]) {
        fputs("charts here:", stderr);
        for (c = 0; kind->charts[c]; c++)
            fprintf(stderr, " %s", kind->charts[c]);
        fputs("\n", stderr);
        return cx_usage_error(me, "--chart %s: no such chart", chart);
    }
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return cx_tool_error(me, "out of memory");
    kind->draw(data, c, memory);
    fclose(memory);
    char *end = length ? strchr(text, '>') : NULL;
    if (end)
        fprintf(out, "%.*s><style>\n%ssvg{background:var(--bg)}</style>%s", (int)(end - text), text,
                cx_chart_style, end + 1);
    free(text);
    return end ? CX_EXIT_OK : cx_tool_error(me, "nothing to draw for %s", kind->charts[c]);
}

enum form { PAGE, SVG, MARKDOWN };

static int write_to(const char *path, const struct cx_report_kind *kind, const void *data,
                    const struct request *request, enum form form)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    int status = CX_EXIT_OK;
    if (!out)
        return cx_tool_error(me, "%s: %s", path, strerror(errno));
    if (form == SVG)
        status = write_svg(out, kind, data, request->chart);
    else if (form == MARKDOWN)
        kind->markdown(data, out);
    else
        write_page(out, kind, data, request->file);
    bool bad = fflush(out) != 0 || ferror(out);
    if (out != stdout)
        bad |= fclose(out) != 0;
    return bad ? cx_tool_error(me, "%s: cannot be written", path) : status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    char problem[256] = "", *own = NULL;
    int status = read_options(&request, argc, argv);
    if (status != CX_EXIT_OK)
        return status;
    const struct cx_report_kind *kind = kind_of(request.file);
    void *data = kind ? kind->load(request.file, request.launch, problem, sizeof problem) : NULL;
    if (!data)
        return cx_tool_error(me, "%s: %s", request.file,
                             *problem ? problem
                             : errno && fopen(request.file, "re") == NULL
                                 ? strerror(errno)
                                 : "neither a trace nor a result of `coexec bench` or `coexec power`");
    if (*problem)
        fprintf(stderr, "coexec report: %s: %s\n", request.file, problem);
    if (request.markdown && !kind->markdown) {
        status = cx_usage_error(
            me, "--markdown: %s: only a result of `coexec bench` has tables for documents", request.file);
    } else if (request.markdown) {
        status = write_to(request.markdown, kind, data, &request, MARKDOWN);
    } else if (request.svg) {
        status = write_to(request.svg, kind, data, &request, SVG);
    } else if (request.out || asprintf(&own, "%s.html", request.file) >= 0) {
        status = write_to(request.out ? request.out : own, kind, data, &request, PAGE);
        if (status == CX_EXIT_OK && own)
            printf("%s\n", own);
    }
    free(own);
    kind->free(data);
    return status == CX_EXIT_OK && *problem ? CX_EXIT_FAILED : status;
}

const struct cx_subcommand cx_report_subcommand = {
    .name = "report",
    .run = run,
    .summary = "charts of a bench, a trace or a measured run",
    .help =
        "usage: coexec report FILE [OPTIONS]\n\n"
        "Makes one page of FILE, which begins with what was gained. Of what `coexec bench --json` wrote: "
        "speedup, "
        "efficiency,\n"
        "load balance, packages, against splits by hand, scaling; figures that cannot be are marked with ?. "
        "Of a "
        "trace\n"
        "(COEXEC_TRACE): a row for each kernel with the reasons why launches ran whole, packages and "
        "transfers of "
        "every\n"
        "device over time, their sizes and speeds. Of what `coexec power --json` wrote: power over time. The "
        "page needs nothing but itself; in the timeline the "
        "wheel zooms, "
        "dragging\n"
        "moves, and a block's numbers show under the pointer. A trace cut short is used as far as it "
        "goes; exit status 1 then.\n\n"
        "  -o FILE        where the page goes; - for standard output (default: FILE.html beside the input)\n"
        "  --svg FILE     write one chart as a picture instead\n"
        "  --chart NAME   which: speedup, efficiency, balance, packages, energy, edp, native, scaling;\n"
        "                 timeline, sizes, speeds, power\n"
        "  --markdown FILE\n"
        "                 write the tables of a bench as Markdown instead (tools/results puts them into "
        "docs/results.md)\n"
        "  --launch N     only that launch of a trace\n",
};
