// Compiled once per instruction set; SVGM_ISA is its name.
#include "svm/svm_loop.hpp"

#include <bit>

#include "simd/packet.hpp"

namespace svgm::SVGM_ISA {
namespace {

// D is the dimension if it is 2 or 3, so that the compiler knows it, and 0 for any other.
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
    // The packet is always written and counted only if it is near: a branch would be mispredicted half of the time.
    kept[found] = packets[p];
    where_less(squared, cutoff, exp_nonpositive(P::all(0) - squared)).store(values + found * kPacket);
    found += less(squared, cutoff) != 0;
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
void add_row(Real* sums, const KernelRow<Real>& row, Real factor) {
  using P = Packet<Real>;
  const P by = P::all(factor);
  for (std::size_t p = 0; p < row.count; ++p) {
    Real* at = sums + row.packets[p] * kPacket;
    multiply_add(by, P::load(row.values + p * kPacket), P::load(at)).store(at);
  }
}

// The best step of one point in the covering problem min ½ βᵀKβ - sum β, 0 <= β <= upper * total, where sums = Kβ.
template <class Real>
inline Real wanted_step(Real beta, Real sum, Real upper, Real total) {
  const Real most = upper * total, free = beta + (Real(1) - sum);
  const Real above = free < Real(0) ? Real(0) : free;
  return (above > most ? most : above) - beta;
}

template <class Real>
inline Real relaxed_step(Real beta, Real sum, Real upper, Real total, Real relaxation) {
  const Real step = wanted_step(beta, sum, upper, total), beyond = fused(relaxation, step, beta);
  return beyond > Real(0) && beyond < upper * total ? beyond - beta : step;
}

// `wanted_step` for the points of a packet.
template <class Real>
inline Packet<Real> wanted_steps(const Packet<Real>& beta, const Packet<Real>& sums, const Packet<Real>& upper,
                                 const Packet<Real>& total) {
  using P = Packet<Real>;
  return smaller(larger(beta + (P::all(1) - sums), P::all(0)), upper * total) - beta;
}

template <class Real>
std::size_t sweep(Real* beta, Real* sums, const Real* upper, Real total, Real least, Real relaxation,
                  const KernelRow<Real>* rows, const KernelRow<Real>& first_row, std::size_t first, std::size_t last,
                  double* moved, std::size_t* updates) {
  using P = Packet<Real>;
  const P all_total = P::all(total), limit = P::all(least), zero = P::all(0);
  unsigned turn = ~0u << first % kPacket;  // the points before `first` are done
  for (std::size_t s = first / kPacket * kPacket; s < last; s += kPacket, turn = ~0u)
    for (;;) {
      const P step = wanted_steps(P::load(beta + s), P::load(sums + s), P::load(upper + s), all_total);
      const unsigned wanted = turn & less(limit, larger(step, zero - step));
      if (wanted == 0) break;
      const unsigned lane = static_cast<unsigned>(std::countr_zero(wanted));
      const std::size_t i = s + lane;
      const KernelRow<Real>& row = i == first && first_row.count > 0 ? first_row : rows[i];
      if (row.count == 0) return i;
      const Real by = relaxed_step(beta[i], sums[i], upper[i], total, relaxation);
      add_row(sums, row, by);
      beta[i] += by;
      *moved += static_cast<double>(by);
      ++*updates;
      turn = ~1u << lane;
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
const SvmLoop<float> kSvmLoopSingle{kernel_row<float>, kernel_sum<float>, near_boxes<float>,
                                     add_row<float>, sweep<float>, assess<float>};
const SvmLoop<double> kSvmLoopDouble{kernel_row<double>, kernel_sum<double>, near_boxes<double>,
                                      add_row<double>, sweep<double>, assess<double>};

}  // namespace svgm::SVGM_ISA
