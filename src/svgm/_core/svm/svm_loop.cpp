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

// The exponent, and the factor before the exponential.
template <class Real>
struct Terms {
  Packet<Real> exponent, factor;
};

template <int D, class Real>
struct Round {
  static constexpr bool kHasFactor = false;
  static Terms<Real> at(const KernelQuery<Real>& query, std::size_t packet) {
    return {squared_distances<D>(query.q, query.columns, query.dimension, packet), Packet<Real>::all(1)};
  }
};

// M = L Δ Lᵀ, so |M| is the product of Δ, and dᵀM⁻¹d = sum_i y_i² / Δ_i with L y = d.
template <int D, class Real>
struct Shaped {
  static constexpr bool kHasFactor = true;
  static Terms<Real> at(const KernelQuery<Real>& query, std::size_t packet) {
    using P = Packet<Real>;
    const int n = D ? D : query.dimension;
    constexpr int kTriangle = D * (D + 1) / 2;
    const auto column = [&](int k) { return P::load(query.columns[k] + packet * kPacket); };
    const int size = n + n * (n + 1) / 2;
    const P roots = P::all(query.q[size]) * column(size);  // |S_x|^(1/2D) |S_y|^(1/2D)
    P exponent = P::all(0), squared_factor = P::all(1);
    // L, y and 1/Δ: on the stack if the dimension is known, otherwise packet by packet in the scratch memory.
    P known[D ? kTriangle + 2 * D : 1];
    const auto get = [&](int k) {
      if constexpr (D > 0)
        return known[k];
      else
        return P::load(query.scratch + static_cast<std::size_t>(k) * kPacket);
    };
    const auto set = [&](int k, const P& value) {
      if constexpr (D > 0)
        known[k] = value;
      else
        value.store(query.scratch + static_cast<std::size_t>(k) * kPacket);
    };
    const int y = n * (n + 1) / 2, inverse = y + n;
    const auto minus = [](const P& a, const P& b, const P& c) { return multiply_add(P::all(0) - a, b, c); };
    for (int i = 0; i < n; ++i) {
      const int row = i * (i + 1) / 2;
      const auto entry = [&](int j) { return P::all(query.q[n + row + j]) + column(n + row + j); };
      P pivot = entry(i), apart = P::all(query.q[i]) - column(i);
      // First the row of LΔ, whose entries need those before them; then the row of L.
      for (int j = 0; j < i; ++j) {
        P sum = entry(j);
        for (int k = 0; k < j; ++k) sum = minus(get(row + k), get(j * (j + 1) / 2 + k), sum);
        set(row + j, sum);
      }
      for (int j = 0; j < i; ++j) {
        const P scaled_entry = get(row + j), l = scaled_entry * get(inverse + j);
        pivot = minus(scaled_entry, l, pivot);
        apart = minus(l, get(y + j), apart);
        set(row + j, l);
      }
      const P over_pivot = P::all(1) / pivot;
      set(inverse + i, over_pivot);
      set(y + i, apart);
      exponent = multiply_add(apart * apart, over_pivot, exponent);
      squared_factor = squared_factor * (roots * over_pivot);
    }
    return {exponent, square_root(squared_factor)};
  }
};

template <class Kernel, class Real>
inline Packet<Real> value_of(const Terms<Real>& terms, const Packet<Real>& cutoff) {
  const Packet<Real> exponential = exp_nonpositive(Packet<Real>::all(0) - terms.exponent);
  if constexpr (Kernel::kHasFactor) return where_less(terms.exponent, cutoff, terms.factor * exponential);
  return where_less(terms.exponent, cutoff, exponential);
}

template <class Kernel, class Real>
std::size_t kernel_row_of(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count,
                          std::uint32_t* kept, Real* values) {
  using P = Packet<Real>;
  const P cutoff = P::all(query.cutoff);
  std::size_t found = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const Terms<Real> terms = Kernel::at(query, packets[p]);
    // The packet is always written and counted only if it is near: a branch would be mispredicted half of the time.
    kept[found] = packets[p];
    value_of<Kernel>(terms, cutoff).store(values + found * kPacket);
    found += less(terms.exponent, cutoff) != 0;
  }
  return found;
}

template <class Kernel, class Real>
Real kernel_sum_of(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count,
                   const Real* weights) {
  using P = Packet<Real>;
  const P cutoff = P::all(query.cutoff);
  P sum = P::all(0);
  for (std::size_t p = 0; p < count; ++p) {
    const Terms<Real> terms = Kernel::at(query, packets[p]);
    if (less(terms.exponent, cutoff) == 0) continue;
    sum = multiply_add(P::load(weights + packets[p] * kPacket), value_of<Kernel>(terms, cutoff), sum);
  }
  Real lanes[kPacket], total = 0;
  sum.store(lanes);
  for (const Real lane : lanes) total += lane;
  return total;
}

template <class Real>
std::size_t kernel_row(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count,
                       std::uint32_t* kept, Real* values) {
  const int d = query.dimension;
  const auto round = d == 3   ? kernel_row_of<Round<3, Real>, Real>
                     : d == 2 ? kernel_row_of<Round<2, Real>, Real>
                              : kernel_row_of<Round<0, Real>, Real>;
  const auto shaped = d == 3   ? kernel_row_of<Shaped<3, Real>, Real>
                      : d == 2 ? kernel_row_of<Shaped<2, Real>, Real>
                               : kernel_row_of<Shaped<0, Real>, Real>;
  return (query.shaped ? shaped : round)(query, packets, count, kept, values);
}

template <class Real>
Real kernel_sum(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count, const Real* weights) {
  const int d = query.dimension;
  const auto round = d == 3   ? kernel_sum_of<Round<3, Real>, Real>
                     : d == 2 ? kernel_sum_of<Round<2, Real>, Real>
                              : kernel_sum_of<Round<0, Real>, Real>;
  const auto shaped = d == 3   ? kernel_sum_of<Shaped<3, Real>, Real>
                      : d == 2 ? kernel_sum_of<Shaped<2, Real>, Real>
                               : kernel_sum_of<Shaped<0, Real>, Real>;
  return (query.shaped ? shaped : round)(query, packets, count, weights);
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
