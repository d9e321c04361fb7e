// Compiled once per instruction set; SVGM_ISA names the copy.
#include "svm_loop.hpp"

#include <bit>

#include "packet.hpp"

namespace svgm::SVGM_ISA {
namespace {

// D known to the compiler for the dimensions that matter; 0 for any other.
template <int D, class Real>
inline Packet<Real> squared_distances(const Real* q, const Real* const* coordinates, int dimension,
                                      std::size_t packet) {
  using P = Packet<Real>;
  P squared = P::all(0);
  for (int k = 0; k < (D ? D : dimension); ++k) {
    const P apart = P::all(q[k]) - P::load(coordinates[k] + packet * kPacket);
    squared = multiply_add(apart, apart, squared);
  }
  return squared;
}

template <int D, class Real>
std::size_t kernel_row_of(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                          const std::uint32_t* packets, std::size_t count, std::uint32_t* kept, Real* values) {
  using P = Packet<Real>;
  const P cutoff = P::all(squared_cutoff);
  std::size_t found = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const P squared = squared_distances<D>(q, coordinates, dimension, packets[p]);
    if (less(squared, cutoff) == 0) continue;
    kept[found] = packets[p];
    where_less(squared, cutoff, exp_nonpositive(P::all(0) - squared)).store(values + found * kPacket);
    ++found;
  }
  return found;
}

template <int D, class Real>
Real kernel_sum_of(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                   const std::uint32_t* packets, std::size_t count, const Real* weights) {
  using P = Packet<Real>;
  const P cutoff = P::all(squared_cutoff);
  P sum = P::all(0);
  for (std::size_t p = 0; p < count; ++p) {
    const P squared = squared_distances<D>(q, coordinates, dimension, packets[p]);
    if (less(squared, cutoff) == 0) continue;
    const P value = where_less(squared, cutoff, exp_nonpositive(P::all(0) - squared));
    sum = multiply_add(P::load(weights + packets[p] * kPacket), value, sum);
  }
  Real lanes[kPacket], total = 0;
  sum.store(lanes);
  for (const Real lane : lanes) total += lane;
  return total;
}

template <class Real>
std::size_t kernel_row(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                       const std::uint32_t* packets, std::size_t count, std::uint32_t* kept, Real* values) {
  const auto row = dimension == 3   ? kernel_row_of<3, Real>
                   : dimension == 2 ? kernel_row_of<2, Real>
                                    : kernel_row_of<0, Real>;
  return row(q, coordinates, dimension, squared_cutoff, packets, count, kept, values);
}

template <class Real>
Real kernel_sum(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                const std::uint32_t* packets, std::size_t count, const Real* weights) {
  const auto sum = dimension == 3   ? kernel_sum_of<3, Real>
                   : dimension == 2 ? kernel_sum_of<2, Real>
                                    : kernel_sum_of<0, Real>;
  return sum(q, coordinates, dimension, squared_cutoff, packets, count, weights);
}

template <class Real>
void add_row(Real* sums, const std::uint32_t* packets, const Real* values, std::size_t count, Real factor) {
  using P = Packet<Real>;
  const P by = P::all(factor);
  for (std::size_t p = 0; p < count; ++p) {
    Real* at = sums + packets[p] * kPacket;
    multiply_add(by, P::load(values + p * kPacket), P::load(at)).store(at);
  }
}

// wanted_step of a packet
template <class Real>
inline Packet<Real> wanted_steps(const Packet<Real>& beta, const Packet<Real>& sums, const Packet<Real>& upper,
                                 const Packet<Real>& total) {
  using P = Packet<Real>;
  return smaller(larger(beta + (P::all(1) - sums), P::all(0)), upper * total) - beta;
}

template <class Real>
std::size_t find_step(const Real* beta, const Real* sums, const Real* upper, Real total, Real least, std::size_t first,
                      std::size_t last) {
  using P = Packet<Real>;
  const P all_total = P::all(total), limit = P::all(least), zero = P::all(0);
  unsigned wanted = ~0u << first % kPacket;  // the points before `first` have had their turn
  for (std::size_t s = first / kPacket * kPacket; s < last; s += kPacket, wanted = ~0u) {
    const P step = wanted_steps(P::load(beta + s), P::load(sums + s), P::load(upper + s), all_total);
    wanted &= less(limit, larger(step, zero - step));
    if (wanted) return s + static_cast<std::size_t>(std::countr_zero(wanted));
  }
  return last;
}

template <int D, class Real>
unsigned near_boxes_of(const Real* box, const Real* boxes, int dimension, Real squared_cutoff) {
  using P = Packet<Real>;
  const std::size_t d = D ? D : static_cast<std::size_t>(dimension);
  P squared = P::all(0);
  for (std::size_t k = 0; k < d; ++k) {
    const P low = P::load(boxes + k * kPacket), high = P::load(boxes + (d + k) * kPacket);
    const P apart = larger(larger(low - P::all(box[d + k]), P::all(box[k]) - high), P::all(0));
    squared = multiply_add(apart, apart, squared);
  }
  return less(squared, P::all(squared_cutoff));
}

template <class Real>
unsigned near_boxes(const Real* box, const Real* boxes, int dimension, Real squared_cutoff) {
  const auto near = dimension == 3   ? near_boxes_of<3, Real>
                    : dimension == 2 ? near_boxes_of<2, Real>
                                     : near_boxes_of<0, Real>;
  return near(box, boxes, dimension, squared_cutoff);
}

template <class Real>
void assess(const Real* beta, const Real* sums, const Real* upper, Real total, std::size_t packets, const Real* biases,
            Real* largest, Real* energy, Real* under) {
  using P = Packet<Real>;
  static_assert(kBiases == 4);
  const P all_total = P::all(total), zero = P::all(0);
  const P r0 = P::all(biases[0]), r1 = P::all(biases[1]), r2 = P::all(biases[2]), r3 = P::all(biases[3]);
  P most = zero, product = zero, below0 = zero, below1 = zero, below2 = zero, below3 = zero;
  for (std::size_t p = 0; p < packets; ++p) {
    const std::size_t s = p * kPacket;
    const P b = P::load(beta + s), g = P::load(sums + s), u = P::load(upper + s);
    const P step = wanted_steps(b, g, u, all_total);
    most = larger(most, larger(step, zero - step));
    product = multiply_add(b, g, product);
    below0 = multiply_add(larger(r0 - g, zero), u, below0);
    below1 = multiply_add(larger(r1 - g, zero), u, below1);
    below2 = multiply_add(larger(r2 - g, zero), u, below2);
    below3 = multiply_add(larger(r3 - g, zero), u, below3);
  }
  const P parts[] = {product, below0, below1, below2, below3};
  Real lanes[kPacket];
  for (std::size_t k = 0; k < 1 + kBiases; ++k) {
    parts[k].store(lanes);
    Real sum = 0;
    for (const Real lane : lanes) sum += lane;
    (k == 0 ? *energy : under[k - 1]) = sum;
  }
  most.store(lanes);
  *largest = 0;
  for (const Real lane : lanes) *largest = lane > *largest ? lane : *largest;
}

}  // namespace

extern const SvmLoop<float> kSvmLoopSingle;
extern const SvmLoop<double> kSvmLoopDouble;
const SvmLoop<float> kSvmLoopSingle{kernel_row<float>, kernel_sum<float>, near_boxes<float>, add_row<float>, find_step<float>,
                                    assess<float>};
const SvmLoop<double> kSvmLoopDouble{kernel_row<double>, kernel_sum<double>, near_boxes<double>, add_row<double>, find_step<double>,
                                     assess<double>};

}  // namespace svgm::SVGM_ISA
