// claim: digraphs stand for braces and brackets
// expect: [3, 4]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) <%
    uniform int v<:2:> = <% 3, 4 %>;
    out<:0:> = v<:0:>;
    out<:1:> = v<:1:>;
%>
