// SPDX-License-Identifier: MIT
// Boost.Compute's algorithms on numbers made from a seed: a checksum of each result. usage: boost_compute N
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace compute = boost::compute;

namespace {

compute::command_queue queue;
compute::context context;
std::size_t count;

template <class T> unsigned long long checksum(const std::vector<T> &values)
{
    unsigned long long sum = 1469598103934665603ull;
    const auto *byte = reinterpret_cast<const unsigned char *>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(T); i++)
        sum = (sum ^ byte[i]) * 1099511628211ull;
    return sum;
}

template <class T> std::vector<T> fetch(const compute::vector<T> &values, std::size_t first = ~std::size_t{0})
{
    std::vector<T> host(std::min(first, values.size()));
    compute::copy(values.begin(), values.begin() + host.size(), host.begin(), queue);
    queue.finish();
    return host;
}

template <class T> void tell(const char *name, const compute::vector<T> &values, std::size_t first = ~std::size_t{0})
{
    std::printf("%-20s %016llx\n", name, checksum(fetch(values, first)));
}

BOOST_COMPUTE_FUNCTION(int, collatz, (int x), {
    int n = 0;
    unsigned v = (unsigned)(x & 0xffff) + 1;
    while (v != 1 && n < 500) {
        v = (v & 1) ? 3 * v + 1 : v / 2;
        n++;
    }
    return n;
});
BOOST_COMPUTE_FUNCTION(bool, odd, (int x), { return x & 1; });

void map_and_reduce(const compute::vector<int> &ints, const compute::vector<float> &reals)
{
    compute::vector<int> out(count, context);
    compute::vector<float> roots(count, context);
    int sum = 0, most = 0;
    compute::transform(ints.begin(), ints.end(), out.begin(), collatz, queue);
    tell("transform", out);
    compute::transform(reals.begin(), reals.end(), roots.begin(), compute::sqrt<float>(), queue);
    tell("sqrt", roots);
    compute::reduce(ints.begin(), ints.end(), &sum, compute::plus<int>(), queue);
    compute::reduce(ints.begin(), ints.end(), &most, compute::max<int>(), queue);
    std::printf("reduce %d %d, odd ones %zu\n", sum, most,
                static_cast<std::size_t>(compute::count_if(ints.begin(), ints.end(), odd, queue)));
    std::printf("extremes at %td, %td\n", compute::max_element(ints.begin(), ints.end(), queue) - ints.begin(),
                compute::min_element(reals.begin(), reals.end(), queue) - reals.begin());
}

void sort(const compute::vector<int> &ints, const compute::vector<float> &reals)
{
    compute::vector<int> keys(ints, queue), values(count, context);
    compute::vector<float> sorted(reals, queue);
    compute::sort(sorted.begin(), sorted.end(), compute::greater<float>(), queue);
    tell("sort", sorted);
    compute::iota(values.begin(), values.end(), 0, queue);
    compute::sort_by_key(keys.begin(), keys.end(), values.begin(), queue);
    tell("keys", keys);
    tell("values", values);
}

void move(const compute::vector<int> &ints)
{
    compute::vector<int> places(count, context), out(count, context);
    compute::iota(places.begin(), places.end(), 0, queue);
    compute::reverse(places.begin(), places.end(), queue);
    compute::rotate_copy(ints.begin(), ints.begin() + count / 3, ints.end(), out.begin(), queue);
    tell("rotate_copy", out);
    compute::gather(places.begin(), places.end(), ints.begin(), out.begin(), queue);
    tell("gather", out);
    compute::scatter(ints.begin(), ints.end(), places.begin(), out.begin(), queue);
    tell("scatter", out);
    compute::adjacent_difference(ints.begin(), ints.end(), out.begin(), queue);
    tell("adjacent_difference", out);
    compute::reverse_copy(ints.begin(), ints.end(), out.begin(), queue);
    compute::replace(out.begin(), out.end(), 5, 42, queue);
    tell("replace", out);
}

void sets(const compute::vector<int> &ints)
{
    compute::vector<int> a(ints, queue), b(count / 2, context), out(count + count / 2, context);
    compute::copy(ints.begin() + count / 4, ints.begin() + count / 4 + count / 2, b.begin(), queue);
    compute::sort(a.begin(), a.end(), queue);
    compute::sort(b.begin(), b.end(), queue);
    compute::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), queue);
    tell("merge", out);
    auto end = compute::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin(), queue);
    tell("set_difference", out, end - out.begin());
    end = compute::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin(), queue);
    tell("set_union", out, end - out.begin());
}

void randoms()
{
    compute::vector<compute::uint_> out(count, context);
    compute::mersenne_twister_engine<compute::uint_> twister(queue, 123);
    compute::threefry_engine<> threefry(queue, 5);
    twister.generate(out.begin(), out.end(), queue);
    tell("mersenne_twister", out);
    threefry.generate(out.begin(), out.end(), queue);
    tell("threefry", out);
}

} // namespace

int main(int argc, char **argv)
{
    count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300000;
    const compute::device device = compute::system::default_device();
    context = compute::context(device);
    queue = compute::command_queue(context, device);
    std::mt19937 random(7);
    std::vector<int> ints(count);
    std::vector<float> reals(count);
    for (std::size_t i = 0; i < count; i++) {
        ints[i] = static_cast<int>(random() % 1000003) - 500000;
        reals[i] = static_cast<float>(random() % 100000) / 1000;
    }
    const compute::vector<int> a(ints.begin(), ints.end(), queue);
    const compute::vector<float> b(reals.begin(), reals.end(), queue);
    map_and_reduce(a, b);
    sort(a, b);
    move(a);
    sets(a);
    randoms();
    return 0;
}
