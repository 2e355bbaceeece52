// OpenCL's names, as the manual maps them (NaplesPU 5.8): a work-item is a hardware thread, a work-group the threads of a core.
// There is one dimension.

uniform int get_work_dim() { return 1; }
uniform int get_local_id(uniform int dimension) { return dimension == 0 ? (uniform int)__read_control(2) : 0; }
uniform int get_local_size(uniform int dimension) { return dimension == 0 ? (uniform int)__read_control(20) : 1; }
uniform int get_group_id(uniform int dimension) { return dimension == 0 ? (uniform int)__read_control(0) : 0; }
uniform int get_num_groups(uniform int dimension) { return dimension == 0 ? (uniform int)__read_control(21) : 1; }
uniform int get_global_id(uniform int dimension) {
    return dimension == 0 ? (uniform int)(__read_control(0) * __read_control(20) + __read_control(2)) : 0;
}
uniform int get_global_size(uniform int dimension) {
    return dimension == 0 ? (uniform int)(__read_control(21) * __read_control(20)) : 1;
}
