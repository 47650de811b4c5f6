/* SPDX-License-Identifier: MIT */
/*
 * Structure factors of a crystal: for each reflection (h, k, l) the sum of all atoms' scattering factors,
 * turned by the phase 2 pi (h x + k y + l z). From the OmpSs paper. Regular: every work-item sums over all
 * atoms, which the work-group brings into local memory piece by piece.
 */
#ifndef PIECE
#define PIECE 64
#endif

/* w of an atom is its scattering factor. */
__kernel __attribute__((reqd_work_group_size(PIECE, 1, 1))) void
krist(__global const float4 *atoms, uint atom_count, __global const float4 *reflections,
      uint reflection_count, __global float2 *factors)
{
    __local float4 piece[PIECE];
    size_t reflection = get_global_id(0);
    size_t lane = get_local_id(0);
    float4 index = reflection < reflection_count ? reflections[reflection] : (float4)(0.0f);

    float re = 0.0f, im = 0.0f;
    for (uint start = 0; start < atom_count; start += PIECE) {
        uint count = min((uint)PIECE, atom_count - start);
        if (lane < count)
            piece[lane] = atoms[start + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < count; i++) {
            float4 atom = piece[i];
            float turns = index.x * atom.x + index.y * atom.y + index.z * atom.z;
            float cosine, sine = sincos(2.0f * M_PI_F * (turns - floor(turns)), &cosine);
            re += atom.w * cosine;
            im += atom.w * sine;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (reflection < reflection_count)
        factors[reflection] = (float2)(re, im);
}
