// SPDX-License-Identifier: MIT
// A model of TensorFlow Lite by Arm NN's reference backend: reference MODEL DIR reads DIR/in.0, ...
// and writes DIR/want.0, ... as bare bytes. Built by tools/ci/armnn.sh.
#include <armnn/ArmNN.hpp>
#include <armnnTfLiteParser/ITfLiteParser.hpp>

#include <fstream>
#include <iostream>
#include <vector>

using namespace armnn;

static int run(const std::string &model, const std::string &dir)
{
	auto parser = armnnTfLiteParser::ITfLiteParser::Create();
	auto network = parser->CreateNetworkFromBinaryFile(model.c_str());
	IRuntime::CreationOptions options;

	options.m_DynamicBackendsPath = BACKENDS;
	auto runtime = IRuntime::Create(options);
	auto optimized = Optimize(*network, { Compute::CpuRef }, runtime->GetDeviceSpec());
	auto names_in = parser->GetSubgraphInputTensorNames(0);
	auto names_out = parser->GetSubgraphOutputTensorNames(0);
	std::vector<std::vector<char>> in(names_in.size()), out(names_out.size());
	InputTensors inputs;
	OutputTensors outputs;
	NetworkId id;

	if (runtime->LoadNetwork(id, std::move(optimized)) != Status::Success)
		return 1;
	for (size_t i = 0; i < in.size(); i++) {
		auto info = parser->GetNetworkInputBindingInfo(0, names_in[i]);
		std::ifstream file(dir + "/in." + std::to_string(i), std::ios::binary);

		in[i].resize(info.second.GetNumBytes());
		if (!file.read(in[i].data(), in[i].size()))
			return 1;
		inputs.push_back({ info.first, ConstTensor(info.second, in[i].data()) });
	}
	for (size_t i = 0; i < out.size(); i++) {
		auto info = parser->GetNetworkOutputBindingInfo(0, names_out[i]);

		out[i].resize(info.second.GetNumBytes());
		outputs.push_back({ info.first, Tensor(info.second, out[i].data()) });
	}
	if (runtime->EnqueueWorkload(id, inputs, outputs) != Status::Success)
		return 1;
	for (size_t i = 0; i < out.size(); i++) {
		std::ofstream file(dir + "/want." + std::to_string(i), std::ios::binary);

		file.write(out[i].data(), out[i].size());
	}
	return 0;
}

int main(int argc, char **argv)
{
	try {
		return argc == 3 ? run(argv[1], argv[2]) : 2;
	} catch (const std::exception &error) {
		std::cerr << "armnn: " << error.what() << "\n";
		return 1;
	}
}
