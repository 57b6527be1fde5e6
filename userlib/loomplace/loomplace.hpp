/* SPDX-License-Identifier: MIT */
/*
 * libloomplace in C++17, header only: items in a vector, exceptions instead of codes.
 *
 *	loomplace::placer placer;
 *	auto result = placer.place({ { 4, 0, 2 }, { 2, 0, 4 }, { 3, 2, 4 } });
 *
 * A placer keeps its memory from call to call; it must not be used by two threads at once.
 */
#ifndef LOOMPLACE_HPP
#define LOOMPLACE_HPP

#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "loomplace.h"

namespace loomplace {

/** Bytes that are alive in [lower, upper). */
struct item {
	std::uint64_t size;
	std::int64_t lower;
	std::int64_t upper;
	std::uint64_t alignment = 1;
	/** offset that it must have */
	std::uint64_t fixed = LOOMPLACE_FREE;
};

/** A placement; moved are the bytes that update() has moved. */
struct placement {
	std::vector<std::uint64_t> offsets;
	std::uint64_t height = 0;
	std::uint64_t bound = 0;
	bool proved = false;
	std::uint64_t moved = 0;
};

/** No placement; see struct loomplace_answer. code is a positive errno. */
class error : public std::runtime_error {
public:
	error(int ret, const loomplace_answer &answer)
		: std::runtime_error(answer.text), code(-ret), item(answer.item),
		  other(answer.other), missing(answer.missing_bytes) {}
	int code;
	std::size_t item;
	std::size_t other;
	std::uint64_t missing;
};

class placer {
public:
	placer()
	{
		loomplace_workspace *workspace;

		if (loomplace_workspace_create(nullptr, &workspace))
			throw std::bad_alloc();
		workspace_.reset(workspace);
	}

	/** Within a capacity, or as low as possible; budget: limit on search nodes, 0: the default. */
	placement place(const std::vector<item> &items, std::uint64_t capacity = 0,
			std::uint64_t budget = 0)
	{
		return call(items, capacity, budget, [](auto &problem, auto &out, auto *answer) {
			return loomplace_place(&problem, out.offsets.data(), answer);
		});
	}

	/** Moves few bytes; before: by item its offset, or LOOMPLACE_FREE. */
	placement update(const std::vector<item> &items, const std::vector<std::uint64_t> &before,
			 std::uint64_t capacity, std::uint64_t budget = 0)
	{
		if (before.size() != items.size())
			throw std::invalid_argument("an offset before is missing");
		return call(items, capacity, budget, [&](auto &problem, auto &out, auto *answer) {
			return loomplace_update(&problem, before.data(), out.offsets.data(),
						&out.moved, answer);
		});
	}

private:
	struct destroy {
		void operator()(loomplace_workspace *workspace) const
		{
			loomplace_workspace_destroy(workspace);
		}
	};

	template <typename Function>
	placement call(const std::vector<item> &items, std::uint64_t capacity,
		       std::uint64_t budget, Function function)
	{
		loomplace_answer answer{};
		loomplace_problem problem{};
		placement out;
		int ret;

		sizes_.resize(3 * items.size());
		times_.resize(2 * items.size());
		for (std::size_t i = 0, n = items.size(); i < n; i++) {
			sizes_[i] = items[i].size;
			sizes_[n + i] = items[i].alignment;
			sizes_[2 * n + i] = items[i].fixed;
			times_[i] = items[i].lower;
			times_[n + i] = items[i].upper;
		}
		out.offsets.resize(items.size());
		answer.struct_bytes = sizeof(answer);
		problem.struct_bytes = sizeof(problem);
		problem.num_items = items.size();
		problem.sizes = sizes_.data();
		problem.alignments = sizes_.data() + items.size();
		problem.fixed = sizes_.data() + 2 * items.size();
		problem.lowers = times_.data();
		problem.uppers = times_.data() + items.size();
		problem.capacity_bytes = capacity;
		problem.budget = budget;
		problem.workspace = workspace_.get();
		ret = function(problem, out, &answer);
		if (ret == -ENOMEM)
			throw std::bad_alloc();
		if (ret)
			throw error(ret, answer);
		out.height = answer.height_bytes;
		out.bound = answer.bound_bytes;
		out.proved = answer.proved;
		return out;
	}

	std::unique_ptr<loomplace_workspace, destroy> workspace_;
	std::vector<std::uint64_t> sizes_;
	std::vector<std::int64_t> times_;
};

} /* namespace loomplace */

#endif /* LOOMPLACE_HPP */
