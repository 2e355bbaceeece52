# The kernels of kernels.ispc as one would write them by hand: arguments in s0.., G gangs, this one is number g.

# Sum of two arrays of n elements, a multiple of 16.
add:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s10, s10, 6
	shli	s11, s11, 6
	shli	s3, s3, 2
	add_i32	s12, s2, s3
	add_i32	s0, s0, s10
	add_i32	s1, s1, s10
	add_i32	s2, s2, s10
add.loop:
	load_v16i32	v0, 0(s0)
	load_v16i32	v1, 0(s1)
	add_i32	s0, s0, s11
	add_i32	s1, s1, s11
	add_i32	v0, v0, v1
	store_v16i32	v0, 0(s2)
	flush	s2
	add_i32	s2, s2, s11
	cmpult_i32	s13, s2, s12
	bnez	s13, add.loop
	jret

saxpy:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s10, s10, 6
	shli	s11, s11, 6
	shli	s4, s4, 2
	add_i32	s12, s3, s4
	add_i32	s1, s1, s10
	add_i32	s2, s2, s10
	add_i32	s3, s3, s10
saxpy.loop:
	load_v16i32	v0, 0(s1)
	load_v16i32	v1, 0(s2)
	add_i32	s1, s1, s11
	fmul_f32	v0, v0, s0
	add_i32	s2, s2, s11
	fadd_f32	v0, v0, v1
	store_v16i32	v0, 0(s3)
	flush	s3
	add_i32	s3, s3, s11
	cmpult_i32	s13, s3, s12
	bnez	s13, saxpy.loop
	jret

# Rows g, g + G, ...; the column of b is walked by a step of a row.
scalar_product:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s12, s3, 2
	mull_i32	s13, s12, s10
	mull_i32	s14, s12, s11
	mull_i32	s15, s12, s3
	add_i32	s15, s0, s15
	add_i32	s0, s0, s13
	add_i32	s2, s2, s13
scalar_product.row:
	cmpult_i32	s16, s0, s15
	beqz	s16, scalar_product.end
	move_i32	s17, s1
	add_i32	s18, s1, s12
	move_i32	s19, s2
	add_i32	s20, s0, s12
scalar_product.column:
	move_i32	s21, s0
	move_i32	s22, s17
	movei	s23, 0
scalar_product.step:
	load32	s24, 0(s21)
	load32	s25, 0(s22)
	addi	s21, s21, 4
	add_i32	s22, s22, s12
	mull_i32	s24, s24, s25
	cmpult_i32	s26, s21, s20
	add_i32	s23, s23, s24
	bnez	s26, scalar_product.step
	store32	s23, 0(s19)
	flush	s19
	addi	s17, s17, 4
	addi	s19, s19, 4
	cmpult_i32	s26, s17, s18
	bnez	s26, scalar_product.column
	add_i32	s0, s0, s14
	add_i32	s2, s2, s14
	jmp	scalar_product.row
scalar_product.end:
	jret

vector_product:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s12, s3, 2
	mull_i32	s13, s12, s10
	mull_i32	s14, s12, s11
	mull_i32	s15, s12, s3
	add_i32	s15, s0, s15
	add_i32	s0, s0, s13
	add_i32	s2, s2, s13
vector_product.row:
	cmpult_i32	s16, s0, s15
	beqz	s16, vector_product.end
	move_i32	s17, s1
	add_i32	s18, s1, s12
	move_i32	s19, s2
	add_i32	s20, s0, s12
vector_product.column:
	move_i32	s21, s0
	move_i32	s22, s17
	movei	v3, 0
vector_product.block:
	load_v16i32	v0, 0(s21)
	addi	s21, s21, 64
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 0
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 1
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 2
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 3
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 4
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 5
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 6
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 7
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 8
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 9
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 10
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 11
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 12
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 13
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	load_v16i32	v1, 0(s22)
	getlanei	s30, v0, 14
	add_i32	s22, s22, s12
	mull_i32	v1, v1, s30
	add_i32	v3, v3, v1
	load_v16i32	v2, 0(s22)
	getlanei	s31, v0, 15
	add_i32	s22, s22, s12
	mull_i32	v2, v2, s31
	add_i32	v3, v3, v2
	cmpult_i32	s26, s21, s20
	bnez	s26, vector_product.block
	store_v16i32	v3, 0(s19)
	flush	s19
	addi	s17, s17, 64
	addi	s19, s19, 64
	cmpult_i32	s26, s17, s18
	bnez	s26, vector_product.column
	add_i32	s0, s0, s14
	add_i32	s2, s2, s14
	jmp	vector_product.row
vector_product.end:
	jret

# One row of the grid after the other; the mask is the set of lanes that go on.
henon:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	leah	s12, lanes
	leal	s12, lanes
	load_v16i32	v20, 0(s12)
	itof_i32	v20, v20
	fmul_f32	v20, v20, s2
	movei	s13, 16
	itof_i32	s14, s13
	fmul_f32	s14, s14, s2
	movei	s15, 0
	moveih	s15, 16656
	movei	s16, 13107
	moveih	s16, 16307
	movei	s29, 39322
	moveih	s29, 16025
	movei	s30, 0
	moveih	s30, 16256
	movei	s17, 65535
	mull_i32	s18, s3, s10
	shli	s18, s18, 2
	add_i32	s6, s6, s18
	sub_i32	s18, s11, s11
	mull_i32	s19, s3, s11
	shli	s19, s19, 2
	shli	s27, s3, 2
	sub_i32	s19, s19, s27
henon.row:
	cmplt_i32	s20, s10, s4
	beqz	s20, henon.end
	itof_i32	s21, s10
	fmul_f32	s21, s21, s2
	fadd_f32	s21, s21, s1
	fadd_f32	v0, v20, s0
	add_i32	s22, s6, s27
henon.gang:
	move_i32	v1, v0
	move_i32	v2, s21
	movei	v3, 0
	fmul_f32	v4, v1, v1
	cmpflt_f32	s24, v4, s15
	movei	s25, 0
	beqz	s24, henon.done
henon.step:
	move_i32	rm, s24
	fadd_f32.m	v5, v2, s30
	fmul_f32.m	v6, v4, s16
	fmul_f32.m	v2, v1, s29
	fsub_f32.m	v1, v5, v6
	addi.m	v3, v3, 1
	fmul_f32.m	v4, v1, v1
	addi	s25, s25, 1
	cmplt_i32	s26, s25, s5
	cmpflt_f32	s28, v4, s15
	sub_i32	s26, s18, s26
	and_i32	s24, s24, s28
	and_i32	s24, s24, s26
	bnez	s24, henon.step
henon.done:
	move_i32	rm, s17
	store_v16i32	v3, 0(s6)
	flush	s6
	addi	s6, s6, 64
	fadd_f32	v0, v0, s14
	cmpult_i32	s26, s6, s22
	bnez	s26, henon.gang
	add_i32	s6, s6, s19
	add_i32	s10, s10, s11
	jmp	henon.row
henon.end:
	jret

# A line and the next one; shuffles bring the neighbours of each lane together.
neighbours:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	leah	s12, lanes
	leal	s12, lanes
	load_v16i32	v20, 0(s12)
	addi	v21, v20, 1
	addi	v22, v20, 2
	movei	s14, 32767
	movei	s15, 16383
	movei	s16, 65535
	shli	s10, s10, 6
	shli	s11, s11, 6
	shli	s2, s2, 2
	add_i32	s13, s1, s2
	add_i32	s0, s0, s10
	add_i32	s1, s1, s10
neighbours.loop:
	load_v16i32	v1, 64(s0)
	load_v16i32	v0, 0(s0)
	add_i32	s0, s0, s11
	shuffle_i32	v2, v1, v21
	shuffle_i32	v3, v1, v22
	mull_i32	v4, v0, s3
	move_i32	rm, s14
	shuffle_i32.m	v2, v0, v21
	move_i32	rm, s15
	shuffle_i32.m	v3, v0, v22
	move_i32	rm, s16
	mull_i32	v2, v2, s4
	mull_i32	v3, v3, s5
	add_i32	v4, v4, v2
	add_i32	v4, v4, v3
	store_v16i32	v4, 0(s1)
	flush	s1
	add_i32	s1, s1, s11
	cmpult_i32	s17, s1, s13
	bnez	s17, neighbours.loop
	jret

# 16 results at a time: a column of lines of the matrix.
matrix_vector:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s10, s10, 6
	shli	s11, s11, 6
	shli	s12, s3, 2
	add_i32	s13, s2, s12
	add_i32	s14, s1, s12
	add_i32	s0, s0, s10
	add_i32	s2, s2, s10
matrix_vector.column:
	cmpult_i32	s15, s2, s13
	beqz	s15, matrix_vector.end
	move_i32	s16, s0
	move_i32	s17, s1
	movei	v1, 0
matrix_vector.step:
	load_v16i32	v0, 0(s16)
	load32	s18, 0(s17)
	add_i32	s16, s16, s12
	addi	s17, s17, 4
	fmul_f32	v0, v0, s18
	cmpult_i32	s15, s17, s14
	fadd_f32	v1, v1, v0
	bnez	s15, matrix_vector.step
	store_v16i32	v1, 0(s2)
	flush	s2
	add_i32	s0, s0, s11
	add_i32	s2, s2, s11
	jmp	matrix_vector.column
matrix_vector.end:
	jret

# Through 64 bytes of the scratchpad for each thread.
lookup:
	movei	s10, 2
	read_cr	s10, s10
	movei	s11, 20
	read_cr	s11, s11
	shli	s10, s10, 6
	shli	s11, s11, 6
	move_i32	s14, s10
	shli	s3, s3, 2
	add_i32	s12, s2, s3
	add_i32	s1, s1, s10
	add_i32	s2, s2, s10
lookup.loop:
	load_v16i32	v0, 0(s1)
	add_i32	s1, s1, s11
	shli	v0, v0, 2
	add_i32	v0, v0, s0
	getlanei	s20, v0, 0
	getlanei	s21, v0, 1
	getlanei	s22, v0, 2
	getlanei	s23, v0, 3
	getlanei	s24, v0, 4
	getlanei	s25, v0, 5
	getlanei	s26, v0, 6
	getlanei	s27, v0, 7
	getlanei	s28, v0, 8
	getlanei	s29, v0, 9
	getlanei	s30, v0, 10
	getlanei	s31, v0, 11
	getlanei	s32, v0, 12
	getlanei	s33, v0, 13
	getlanei	s34, v0, 14
	getlanei	s35, v0, 15
	load32	s20, 0(s20)
	load32	s21, 0(s21)
	load32	s22, 0(s22)
	load32	s23, 0(s23)
	load32	s24, 0(s24)
	load32	s25, 0(s25)
	load32	s26, 0(s26)
	load32	s27, 0(s27)
	load32	s28, 0(s28)
	load32	s29, 0(s29)
	load32	s30, 0(s30)
	load32	s31, 0(s31)
	load32	s32, 0(s32)
	load32	s33, 0(s33)
	load32	s34, 0(s34)
	load32	s35, 0(s35)
	store32_scratchpad	s20, 0(s14)
	store32_scratchpad	s21, 4(s14)
	store32_scratchpad	s22, 8(s14)
	store32_scratchpad	s23, 12(s14)
	store32_scratchpad	s24, 16(s14)
	store32_scratchpad	s25, 20(s14)
	store32_scratchpad	s26, 24(s14)
	store32_scratchpad	s27, 28(s14)
	store32_scratchpad	s28, 32(s14)
	store32_scratchpad	s29, 36(s14)
	store32_scratchpad	s30, 40(s14)
	store32_scratchpad	s31, 44(s14)
	store32_scratchpad	s32, 48(s14)
	store32_scratchpad	s33, 52(s14)
	store32_scratchpad	s34, 56(s14)
	store32_scratchpad	s35, 60(s14)
	load_v16i32_scratchpad	v1, 0(s14)
	store_v16i32	v1, 0(s2)
	flush	s2
	add_i32	s2, s2, s11
	cmpult_i32	s13, s2, s12
	bnez	s13, lookup.loop
	jret
	.rodata
	.align 64
lanes:
	.word 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
