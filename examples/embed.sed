# Turns an OpenCL C file into a C header that holds its text as the string kernel_source.
s/\\/\\\\/g
s/"/\\"/g
s/.*/    "&\\n"/
1i\
static const char kernel_source[] =
$a\
    "";
